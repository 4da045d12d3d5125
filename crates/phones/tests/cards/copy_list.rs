//! The list of copies: what finds them, and how many there are.

use serde_json::json;
use testapp::TestApp;
use testkit::{counters, db_test};
use testroom::phone::another;

use super::by_rule::run;
use super::copied::BACKUPS;
use super::copy_steps::{back_up, made, on};
use super::put_on::row;

/// Counts phones and copies as the migration does.
async fn count_anew(app: &TestApp) {
    run(app, "DELETE FROM kept_word").await;
    let change = include_str!("../../../migration/src/sql/m20261207_000010_copy_filters.sql");
    let (_, counted) = change.split_once("-- Their counters\n").unwrap();
    let counted: String =
        counted.lines().filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect();
    for statement in counted.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
        run(app, statement).await;
    }
}

/// What a copy of another user's phone on the newest node is, as a row: read back, live, of an image of its own, long ago.
const OTHER: &str = "INSERT INTO backup (phone_id, repo_id, node_id, snapshot, kind, card_id, image, board, state, damage, is_live, \
    files, bytes, added_bytes, manifest, code, restores, millis, began_at, verified_at) \
    SELECT repo.phone_id, repo.id, repo.node_id, '', 1, card.id, 'image-2', 'RK_3399', 4, '', TRUE, 0, 0, 0, '', '', 0, 0, 1000, 2000";

db_test! {
    async fn copies_are_found_by_what_is_asked_and_counted_exactly(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        // One is read back, one fails, and one was not read back yet.
        back_up(&app, &clerk, &phones).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        counters::check(app.app.db.read(), phones::COUNTED).await;
        hand.says(&app, "copy", &made('a')).await;
        hand.does(&app, "start").await;
        counters::check(app.app.db.read(), phones::COUNTED).await;
        hand.does(&app, "verify").await;
        fleet::operation::round(&app.app).await.unwrap();
        back_up(&app, &clerk, &phones).await;
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        fleet::operation::round(&app.app).await.unwrap();
        back_up(&app, &clerk, &phones).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('b')).await;
        counters::check(app.app.db.read(), phones::COUNTED).await;

        let other = another(&app, &clerk, hand.room).await;
        let node = json!({ "name": "杭州-存储-02", "city": "杭州", "place": "more", "agents": [hand.identity.agent],
            "capacity": 9, "unit": "gb", "partitions": 2 });
        let second = clerk.post("/api/storage/v1/nodes", node).await.data()["id"].as_i64().unwrap();
        let repo = format!("INSERT INTO repo (phone_id, node_id, folder, created_at) VALUES ({other}, {second}, 'p2', 0)");
        run(&app, &repo).await;
        let theirs = format!("FROM repo JOIN card ON card.id = {} WHERE repo.phone_id = {other}", hand.cards[7]);
        run(&app, &format!("{OTHER} {theirs}")).await;
        count_anew(&app).await;
        counters::check(app.app.db.read(), phones::COUNTED).await;

        let (first, mine, theirs) = (second - 1, row(&app, phone).await.user_id.0, row(&app, other).await.user_id.0);
        for (filter, total) in [
            (String::new(), 4),
            ("state=4".to_owned(), 2),
            ("state=5".to_owned(), 1),
            ("state=3".to_owned(), 1),
            ("state=1".to_owned(), 0),
            ("kind=1".to_owned(), 4),
            ("kind=2".to_owned(), 0),
            ("isVerified=true".to_owned(), 2),
            ("isVerified=false".to_owned(), 2),
            ("isLive=true".to_owned(), 1),
            ("isLive=false".to_owned(), 3),
            ("isLive=false&isVerified=true".to_owned(), 1),
            ("isLive=true&isVerified=false".to_owned(), 0),
            ("state=5&isVerified=false".to_owned(), 1),
            (format!("nodeId={first}"), 3),
            (format!("nodeId={second}"), 1),
            (format!("nodeId={second}&state=4"), 1),
            (format!("nodeId={second}&isLive=false"), 0),
            ("nodeId=987654321".to_owned(), 0),
            (format!("phoneId={phone}"), 3),
            (format!("phoneId={phone}&state=4&nodeId={first}"), 1),
            (format!("userId={mine}"), 3),
            (format!("userId={theirs}"), 1),
            (format!("userId={theirs}&isVerified=false"), 0),
            (format!("userId={mine}&nodeId={second}"), 0),
            ("userId=987654321".to_owned(), 0),
            ("image=image-2".to_owned(), 1),
            (format!("image=image-2&userId={mine}"), 0),
            ("image=image".to_owned(), 0),
            (format!("image=image-2&nodeId={first}"), 0),
            ("isKept=true".to_owned(), 1),
            ("isKept=false".to_owned(), 3),
            ("isKept=false&isLive=true".to_owned(), 1),
            ("isDamaged=false".to_owned(), 4),
            ("isDamaged=true".to_owned(), 0),
            ("board=RK_3399".to_owned(), 4),
            (format!("board=RK_3399&nodeId={second}"), 1),
            ("board=STARPRO".to_owned(), 0),
            ("board=OTHER".to_owned(), 0),
            ("startTime=2001-01-01T00:00:00Z".to_owned(), 3),
            ("startTime=2001-01-01T00:00:00Z&isLive=true".to_owned(), 0),
            (format!("endTime=2001-01-01T00:00:00Z&nodeId={second}&image=image-2"), 1),
            ("startTime=2099-01-01T00:00:00Z".to_owned(), 0),
        ] {
            for order in ["", "&sort=beganAt&order=asc"] {
                let page = clerk.get(&format!("{BACKUPS}?{filter}{order}")).await.data();
                let listed = page["list"].as_array().unwrap().len();
                assert_eq!((&page["total"], listed), (&json!(total), total), "{filter}{order}");
            }
            let file = clerk.get(&format!("{BACKUPS}/file?format=csv&{filter}")).await.table();
            assert_eq!(file.len() - 1, total, "the file of {filter}");
        }
        let oldest = clerk.get(&format!("{BACKUPS}?sort=beganAt&order=asc")).await.data();
        assert_eq!(oldest["list"][0]["image"], "image-2", "the newest row was begun first");
        assert_eq!(clerk.get(&format!("{BACKUPS}?image={}", "x".repeat(65))).await.errors(), ["image text.tooLong"]);
    }

    async fn a_deep_page_of_copies_begins_where_the_one_before_ends(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        run(&app, &format!("INSERT INTO repo (phone_id, node_id, folder, created_at) SELECT {}, MIN(id), 'p1', 0 FROM store_node", phones[0])).await;
        let many = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) {} FROM n, repo JOIN card ON card.id = {}",
            OTHER.replace("'', 1, card.id", "'', 1 + i % 2, card.id"), hand.cards[0]
        );
        run(&app, &many).await;
        count_anew(&app).await;
        counters::check(app.app.db.read(), phones::COUNTED).await;
        for order in ["", "&sort=id&order=asc"] {
            let page = async |number: u64| {
                let page = clerk.get(&format!("{BACKUPS}?kind=2&pageSize=500&pageNum={number}{order}")).await.data();
                assert_eq!(page["total"], 5_000);
                page["list"].as_array().unwrap().iter().map(|copy| copy["id"].as_i64().unwrap()).collect::<Vec<_>>()
            };
            // The last page lies beyond the first block of those that are counted.
            let (before, last) = (page(9).await, page(10).await);
            let step = if order.is_empty() { -2 } else { 2 };
            let all: Vec<i64> = before.iter().chain(&last).copied().collect();
            assert_eq!(all.len(), 1_000);
            assert!(all.windows(2).all(|two| two[1] - two[0] == step), "{order}: {:?}", &all[495..505]);
        }
    }
}
