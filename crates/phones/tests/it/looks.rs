//! What is looked at often is read by an index, page by page, however many phones and stays there are.

use entity::phone_session::Model as Stay;
use entity::{CardId, PhoneId, RoomId, placement};
use phones::stays_here;
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, DbBackend, QueryFilter as _, QueryTrait as _, Statement};
use testkit::phones::{ON, furnish, run};
use testkit::{TestDb, db_test};

/// How the database finds what is asked for.
async fn plan(db: &TestDb, mut asked: Statement) -> String {
    let is_sqlite = db.backend() == DbBackend::Sqlite;
    let (explain, column) = if is_sqlite { ("EXPLAIN QUERY PLAN", "detail") } else { ("EXPLAIN", "QUERY PLAN") };
    asked.sql = format!("{explain} {}", asked.sql);
    let rows = db.read().query_all_raw(asked).await.unwrap();
    rows.iter().map(|row| row.try_get::<String>("", column).unwrap()).collect::<Vec<_>>().join("\n")
}

async fn page(db: &TestDb, after: PhoneId) -> Vec<Stay> {
    stays_here(RoomId(1), after).all(db.read()).await.unwrap()
}

db_test! {
    async fn of_a_room_only_those_are_read_that_are_on_its_cards(db) {
        furnish(&db).await;
        run(&db, ON).await.unwrap();
        let room = "INSERT INTO room (id, name, city, remark, maintenance, maintenance_reason, maintenance_by, created_at, updated_at)
            VALUES (2, 'S', '', '', 1, '', '', 0, 0)";
        run(&db, room).await.unwrap();
        let phones = "INSERT INTO phone (id, code, name, user_id, plan, room_id, life, use_type, is_blank, endpoint_rev, disk_gb,
                used_bytes, expires_at, image, source, frozen_reason, remark, created_at, updated_at)
            WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            SELECT i, 'CP-' || i, '', 1, 2, 1, 2, 2, TRUE, 0, 32, 0, 9, '', 5, '', '', 0, 0 FROM n";
        run(&db, phones).await.unwrap();
        let columns = "phone_id, placement_id, card_id, room_id, board, began_at, ended_at, why, gateway, streams, streamed_s";
        // Each was there once; 1,020 are in the first room, and 2,970 in another one.
        let were = "SELECT id, 1, 1, 1, 'RK_3399', 0, 1, 11, '', 0, 0 FROM phone";
        let are = "SELECT id, 1, 1, CASE WHEN id <= 1030 THEN 1 ELSE 2 END, 'RK_3399', 2, NULL, NULL, '', 0, 0 FROM phone
            WHERE id BETWEEN 11 AND 4000";
        for rows in [were, are] {
            run(&db, &format!("INSERT INTO phone_session ({columns}) {rows}")).await.unwrap();
        }
        run(&db, "ANALYZE phone_session").await.unwrap();

        let first = page(&db, PhoneId(0)).await;
        let second = page(&db, first.last().unwrap().phone_id).await;
        let ids: Vec<i64> = first.iter().chain(&second).map(|stay| stay.phone_id.0).collect();
        assert_eq!((first.len(), ids), (1000, (11..=1030).collect()));
        assert!(page(&db, PhoneId(1030)).await.is_empty());
        for after in [PhoneId(0), PhoneId(1010)] {
            let plan = plan(&db, stays_here(RoomId(1), after).build(db.backend())).await;
            assert!(plan.contains("phone_session_here"), "{plan}");
            for whole in ["SCAN", "TEMP B-TREE", "Seq Scan", "Sort"] {
                assert!(!plan.contains(whole), "{plan}");
            }
        }
    }

    async fn of_all_that_a_card_ever_held_only_what_it_holds_is_read(db) {
        furnish(&db).await;
        run(&db, ON).await.unwrap();
        let were = "INSERT INTO placement (id, phone_id, card_id, role, is_quarantined, began_at, ended_at)
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            SELECT i, 2, 1 + i % 3, 0, FALSE, 0, i FROM n";
        run(&db, were).await.unwrap();
        run(&db, "ANALYZE placement").await.unwrap();
        let on = placement::Entity::going_on().filter(placement::Column::CardId.eq(CardId(1)));
        assert_eq!(on.clone().all(db.read()).await.unwrap().iter().map(|stay| stay.id.0).collect::<Vec<_>>(), [1]);
        let plan = plan(&db, on.build(db.backend())).await;
        assert!(plan.contains("placement_card"), "{plan}");
    }
}
