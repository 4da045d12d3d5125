//! A long list of phones: it is followed in its order, and counted without a look at each, and shows what a short one would.

use sea_orm::{ConnectionTrait, Statement};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testkit::phones::{furnish, run};

use super::PHONES;

/// More than are sorted, and some pages of blocks.
const COUNT: i64 = 12_000;

/// A question, which phones those are, and in which order.
const QUESTIONS: [(&str, &str, &str); 34] = [
    ("pageNum=1", "life <> 6", "id DESC"),
    ("pageNum=450", "life <> 6", "id DESC"),
    ("life=2&pageNum=400", "life = 2", "id DESC"),
    ("life=2&pageNum=400&sort=code&order=asc", "life = 2", "id"),
    ("life=2", "life = 2", "id DESC"),
    ("life=3", "life = 3", "id DESC"),
    ("life=4&sort=expiresAt&order=asc", "life = 4", "expires_at, id"),
    ("life=2&sort=expiresAt&order=desc", "life = 2", "expires_at DESC, id DESC"),
    ("roomId=1", "room_id = 1 AND life <> 6", "id DESC"),
    ("roomId=1&plan=2&sort=diskGb&order=asc", "plan = 2 AND life <> 6", "disk_gb, id"),
    ("useType=2&sort=usedBytes&order=desc", "use_type = 2 AND life <> 6", "used_bytes DESC, id DESC"),
    ("isBlank=true", "is_blank AND life <> 6", "id DESC"),
    ("isBlank=false&pageNum=400", "NOT is_blank AND life <> 6", "id DESC"),
    ("isBlank=true&source=2&life=2", "is_blank AND source = 2 AND life = 2", "id DESC"),
    ("isBlank=true&roomId=1", "is_blank AND life <> 6", "id DESC"),
    ("source=3", "source = 3 AND life <> 6", "id DESC"),
    ("source=3&pool=1&sort=plan&order=asc", "source = 3 AND pool = 1 AND life <> 6", "plan, id"),
    ("pool=2", "pool = 2 AND life <> 6", "id DESC"),
    ("pool=2&sort=expiresAt&order=asc", "pool = 2 AND life <> 6", "expires_at, id"),
    ("image=A11-3.8.2", "image = 'A11-3.8.2' AND life <> 6", "id DESC"),
    ("image=A11-3.8.2&sort=diskGb&order=asc", "image = 'A11-3.8.2' AND life <> 6", "disk_gb, id"),
    ("userId=1&life=2", "life = 2", "id DESC"),
    ("diskState=1", "used_bytes < disk_gb * CAST(1073741824 AS BIGINT) / 10 * 9 AND life <> 6", "id DESC"),
    (
        "diskState=1&life=2&isBlank=false",
        "used_bytes < disk_gb * CAST(1073741824 AS BIGINT) / 10 * 9 AND life = 2 AND NOT is_blank",
        "id DESC",
    ),
    ("diskState=3", "used_bytes >= disk_gb * CAST(1073741824 AS BIGINT) / 10 * 9 AND life <> 6", "id DESC"),
    ("held=false&queued=false&failed=false", "life <> 6", "id DESC"),
    ("noBackup=false&life=2&sort=plan&order=desc", "life = 2", "plan DESC, id DESC"),
    (
        "startTime=1970-01-01T00:00:02Z&endTime=1970-01-01T00:00:10Z",
        "expires_at BETWEEN 2000 AND 10000 AND life <> 6",
        "id DESC",
    ),
    ("startTime=1970-01-01T00:00:02Z&sort=expiresAt&order=asc", "expires_at >= 2000 AND life <> 6", "expires_at, id"),
    ("sort=lastUsedAt&order=asc", "life <> 6", "last_used_at IS NULL, last_used_at, id"),
    ("sort=lastUsedAt&order=desc", "life <> 6", "last_used_at IS NULL, last_used_at DESC, id DESC"),
    ("sort=lastUsedAt&order=desc&pageNum=550", "life <> 6", "last_used_at IS NULL, last_used_at DESC, id DESC"),
    ("sort=lastBackupAt&order=asc&life=2", "life = 2", "last_backup_at IS NULL, last_backup_at, id"),
    ("sort=lastBackupAt&order=desc", "life <> 6", "last_backup_at IS NULL, last_backup_at DESC, id DESC"),
];

const KEPT: &str = "EXISTS (SELECT 1 FROM phone WHERE phone.kept_id = backup.id)";
const OTHERS: &str = "NOT EXISTS (SELECT 1 FROM phone WHERE phone.kept_id = backup.id)";

/// The same of copies.
const OF_COPIES: [(&str, &str, &str); 8] = [
    ("isKept=true", KEPT, "id DESC"),
    ("isKept=true&pageNum=400", KEPT, "id DESC"),
    ("isKept=true&pageNum=3&sort=id&order=asc", KEPT, "id"),
    ("isKept=true&sort=bytes&order=desc", KEPT, "bytes DESC, id DESC"),
    ("isKept=true&isLive=false&pageNum=2", KEPT, "id DESC"),
    ("isKept=true&userId=1", KEPT, "id DESC"),
    ("isKept=false", OTHERS, "id DESC"),
    ("isKept=false&sort=bytes&order=asc", OTHERS, "bytes, id"),
];

/// What a list shows is what SQL finds.
async fn shows(clerk: &Caller<'_>, db: &impl ConnectionTrait, list: &str, table: &str, of: (&str, &str, &str)) {
    let (question, which, order) = of;
    let page = clerk.get(&format!("{list}?{question}&pageSize=20")).await.data();
    let skipped = page["pageNum"].as_u64().unwrap().saturating_sub(1) * 20;
    let told = |text: String| Statement::from_string(db.get_database_backend(), text);
    let total = told(format!("SELECT COUNT(*) FROM {table} WHERE {which}"));
    let total: i64 = db.query_one_raw(total).await.unwrap().unwrap().try_get_by_index(0).unwrap();
    assert_eq!(page["total"], total, "{question}");
    let rows = told(format!("SELECT id FROM {table} WHERE {which} ORDER BY {order} LIMIT 20 OFFSET {skipped}"));
    let ids: Vec<i64> =
        db.query_all_raw(rows).await.unwrap().iter().map(|row| row.try_get_by_index(0).unwrap()).collect();
    let shown: Vec<i64> = page["list"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert!(!ids.is_empty(), "{question} finds some");
    assert_eq!(shown, ids, "{question}");
}

db_test! {
    async fn a_long_list_shows_what_a_short_one_would(db) {
        furnish(&db).await;
        let phones = format!(
            "INSERT INTO phone (id, code, name, user_id, plan, room_id, life, use_type, is_blank, endpoint_rev, disk_gb, used_bytes,
                 expires_at, image, source, pool, frozen_reason, last_used_at, last_backup_at, remark, created_at, updated_at)
             WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < {COUNT})
             SELECT i, 'CP-' || i, '', 1, 2 + i % 3, 1, CASE i % 20 WHEN 0 THEN 3 WHEN 1 THEN 4 WHEN 2 THEN 4 WHEN 3 THEN 6 ELSE 2 END, 2,
                 TRUE, 0, 32 + i % 7, CASE WHEN i % 500 = 0 THEN CAST(2000000000000 AS BIGINT) ELSE i % 97 END, (i * 7919) % 20011,
                 CASE WHEN i % 3 = 0 THEN 'A10-3.6.1' ELSE 'A11-3.8.2' END, 1 + i % 5, CASE WHEN i % 50 < 30 THEN 2 ELSE 1 END, '',
                 CASE WHEN i % 5 > 0 THEN (i * 31) % 9973 END, CASE WHEN i % 6 > 0 THEN (i * 37) % 9967 END, '', 0, 0 FROM n"
        );
        run(&db, &phones).await.unwrap();
        // Three of four were used, and live by a copy.
        let repos = "INSERT INTO repo (id, phone_id, node_id, folder, created_at) SELECT id, id, 1, 'q' || id, 0 FROM phone WHERE id > 2 AND id % 4 > 0 AND life <> 6";
        let copies = "INSERT INTO backup (id, phone_id, repo_id, node_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes,
                added_bytes, manifest, code, restores, millis, began_at)
            SELECT id, id, id, 1, 's' || id, 1, 1, '', '', 4, '', FALSE, 0, 0, 0, '', '', 0, 0, 0 FROM phone WHERE id > 2 AND id % 4 > 0 AND life <> 6";
        let others = copies.replace("SELECT id, id, id, 1, 's'", "SELECT id + 20000, id, id, 1, 't'").replace("id % 4 > 0", "id % 12 = 1");
        let sizes = "UPDATE backup SET bytes = (id * 7919) % 5003 WHERE files = 0";
        let used = "UPDATE phone SET is_blank = FALSE, kept_id = id WHERE id > 2 AND id % 4 > 0 AND life <> 6";
        for rows in [repos, copies, &others, sizes, used] {
            run(&db, rows).await.unwrap();
        }
        for packed in phones::COUNTED {
            run(&db, &packed.counted_anew().join(";")).await.unwrap();
        }
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["phone:list", "backup:list"]).await;
        for question in QUESTIONS {
            shows(&clerk, app.app.db.read(), PHONES, "phone", question).await;
        }
        for question in OF_COPIES {
            shows(&clerk, app.app.db.read(), "/api/storage/v1/backups", "backup", question).await;
        }
    }
}
