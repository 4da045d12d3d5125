//! Cloud phones: the list and its counters, what is done to many, and what time does to them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod acts;
mod connects;
mod expiry;
mod forbidden;
mod import;
mod list;
mod long;
mod looks;
mod notices;
mod order;
mod overview;
mod pruned;
mod rules;
mod sessions;

use sea_orm::{ConnectionTrait as _, EntityTrait as _, Statement};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};

pub const PHONES: &str = "/api/phone/v1/phones";
pub const USERS: &str = "/api/user/v1/client-users";
pub const DAY: i64 = 86_400;

pub fn id(made: &Value) -> i64 {
    made["id"].as_i64().unwrap()
}

/// A room and a user.
pub async fn world(clerk: &Caller<'_>) -> (i64, i64) {
    let room = clerk.post("/api/fleet/v1/rooms", json!({ "name": "杭州机房", "city": "杭州" })).await.data();
    let user = clerk.post(USERS, json!({ "name": "张三丰", "phone": "13800000001", "identCode": "ZSF1" })).await.data();
    (id(&room), id(&user))
}

/// `count` phones of the user, on VIP, for `days`; their ids.
pub async fn make(clerk: &Caller<'_>, app: &TestApp, (room, user): (i64, i64), days: i64, count: usize) -> Vec<i64> {
    let expires = app.app.clock.now().plus_seconds(days * DAY);
    let body = json!({ "userId": user, "plan": 2, "roomId": room, "diskGb": 32, "expiresAt": expires, "count": count });
    let first = clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap();
    (first..first + i64::try_from(count).unwrap()).collect()
}

pub async fn lives(clerk: &Caller<'_>, ids: &[i64]) -> Vec<i64> {
    let mut found = Vec::new();
    for id in ids {
        found.push(clerk.get(&format!("{PHONES}/{id}")).await.data()["life"].as_i64().unwrap());
    }
    found
}

/// Puts a phone on a card of its room, as a put-on will.
pub async fn put_on(app: &TestApp, clerk: &Caller<'_>, room: i64, phone: i64, ip: &str) {
    let card = json!({ "roomId": room, "intranetIp": ip, "adbPort": 5555, "manufacturer": "瑞芯", "model": "A", "board": "RK_3399", "size": "4G/64G" });
    let card = clerk.post("/api/fleet/v1/cards", card).await.data();
    let mut tx = app.app.db.begin_write().await.unwrap();
    let row = entity::phone::Entity::find_by_id(entity::PhoneId(phone)).one(&*tx).await.unwrap().unwrap();
    let held = phones::Held { image: "A11-3.8.2".to_owned(), used_bytes: 5 << 30 };
    phones::hold(&mut tx, &row, entity::CardId(id(&card)), held, app.app.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
}

/// The kept counters and the users' numbers of phones against what they count.
pub async fn check_counters(app: &TestApp) {
    let db = app.app.db.read();
    for (what, counted, kept) in [
        (
            "cells",
            "SELECT CAST((pool - 1) * 16777216 + room_id * 256 + plan * 32 + life * 4 + use_type AS BIGINT) AS a, CAST(count(*) AS BIGINT) AS n FROM phone GROUP BY 1 ORDER BY 1",
            "SELECT CAST(cell AS BIGINT) AS a, n FROM kept_count WHERE list = 20 AND block = -1 AND n <> 0 ORDER BY 1",
        ),
        (
            "kinds",
            "SELECT CAST(life * 16 + source * 2 + CASE WHEN is_blank THEN 1 ELSE 0 END + CASE WHEN kept_id IS NULL THEN 0 ELSE 128 END AS BIGINT) AS a, CAST(count(*) AS BIGINT) AS n FROM phone GROUP BY 1 ORDER BY 1",
            "SELECT CAST(cell AS BIGINT) AS a, n FROM kept_count WHERE list = 23 AND block = -1 AND n <> 0 ORDER BY 1",
        ),
        (
            "blocks and runs of them",
            "SELECT CAST(list AS BIGINT) * 100000000 + cell AS a, CAST(SUM(n) AS BIGINT) AS n FROM kept_count WHERE list IN (20, 23) AND block >= 0 AND n <> 0 GROUP BY 1 ORDER BY 1",
            "SELECT CAST(list AS BIGINT) * 100000000 + cell AS a, CAST(SUM(n) AS BIGINT) AS n FROM kept_count WHERE list IN (20, 23) AND block < -1 AND n <> 0 GROUP BY 1 ORDER BY 1",
        ),
        (
            "cells of stays",
            "SELECT CAST(COALESCE(why, 0) * 4194304 + room_id * 4 + CASE WHEN ended_at IS NULL THEN 2 ELSE 0 END + CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END AS BIGINT) AS a, CAST(count(*) AS BIGINT) AS n FROM phone_session GROUP BY 1 ORDER BY 1",
            "SELECT CAST(cell AS BIGINT) AS a, n FROM kept_count WHERE list = 21 AND block = -1 AND n <> 0 ORDER BY 1",
        ),
        (
            "phones of users",
            "SELECT user_id AS a, CAST(count(*) AS BIGINT) AS n FROM phone WHERE life <> 6 GROUP BY 1 ORDER BY 1",
            "SELECT id AS a, CAST(phone_count AS BIGINT) AS n FROM client_user WHERE phone_count <> 0 ORDER BY 1",
        ),
    ] {
        let mut found = Vec::new();
        for text in [counted, kept] {
            let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
            let rows: Vec<(i64, i64)> =
                rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect();
            found.push(rows);
        }
        assert_eq!(found[0], found[1], "{what}");
    }
}
