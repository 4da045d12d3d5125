//! What lines of orders ask of phones: answered once.

use entity::phone::{PhoneSource, Plan};
use entity::{ClientUserId, OrderLineId, PhoneId, RoomId};
use futures::future::join_all;
use phones::order::{Answer, Line, Ordered, deliver, withdraw};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use wire::Reason;

use super::{DAY, PHONES, USERS, check_counters, id, make, world};

const fn line(id: i64, user: i64, wanted: Ordered) -> Line {
    Line { id: OrderLineId(id), user_id: ClientUserId(user), wanted }
}

const fn phones_in(room: i64, count: u16) -> Ordered {
    let (plan, source) = (Plan::Svip, PhoneSource::Order);
    Ordered::Phones { plan, room_id: RoomId(room), disk_gb: 64, days: 30, count, source }
}

const fn days(phone: i64, days: u16) -> Ordered {
    Ordered::Days { phone_id: PhoneId(phone), days }
}

const fn disk(phone: i64, more_gb: u16) -> Ordered {
    Ordered::Disk { phone_id: PhoneId(phone), more_gb }
}

async fn get(clerk: &Caller<'_>, phone: i64) -> Value {
    clerk.get(&format!("{PHONES}/{phone}")).await.data()
}

async fn total(clerk: &Caller<'_>) -> Value {
    clerk.get(PHONES).await.data()["total"].clone()
}

db_test! {
    async fn what_a_line_asks_for_is_done_once_whoever_asks_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        // Sixteen at once, then again after a restart: one answer.
        let made = line(1, user, phones_in(room, 3));
        let answers = join_all((0..16).map(|_| deliver(&app.app, &made))).await;
        let first = answers[0].as_ref().unwrap().clone();
        assert!(answers.iter().all(|answer| answer.as_ref().unwrap() == &first), "{answers:?}");
        let Answer::Done(ids) = &first else { panic!("{first:?}") };
        assert_eq!((ids.len(), total(&clerk).await), (3, json!(3)));
        let phone = get(&clerk, ids[0].0).await;
        assert_eq!((&phone["plan"], &phone["source"], &phone["diskGb"], &phone["life"]), (&json!(4), &json!(1), &json!(64), &json!(2)));

        let before = expiry(&phone);
        let renewed = line(2, user, days(ids[0].0, 10));
        let enlarged = line(3, user, disk(ids[0].0, 100));
        let group = clerk.group.unwrap();
        for _ in 0..2 {
            assert_eq!(deliver(&app.app, &renewed).await.unwrap(), Answer::Done(vec![ids[0]]));
            assert_eq!(deliver(&app.app, &enlarged).await.unwrap(), Answer::Done(vec![ids[0]]));
        }
        let ids = ids.clone();
        let app = app.restarted().await;
        let boss = app.signed_in("boss", group).await;
        for asked in [&made, &renewed, &enlarged] {
            deliver(&app.app, asked).await.unwrap();
        }
        let phone = get(&boss, ids[0].0).await;
        assert_eq!((expiry(&phone) - before, &phone["diskGb"]), (10 * DAY, &json!(164)));
        assert_eq!(total(&boss).await, 3);
        let asked = json!({ "objectKind": "phone", "objectId": ids[0].0.to_string(), "pageNum": 1, "pageSize": 20 });
        let log = boss.post("/api/user/v1/operation/log/list", asked).await.data();
        assert_eq!(log["total"], 3, "made, renewed, enlarged: {log}");
        check_counters(&app).await;
    }

    async fn what_cannot_be_delivered_says_why_changes_nothing_and_stays_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let other = clerk.post(USERS, json!({ "name": "李四", "phone": "13800000002", "identCode": "LS2" })).await.data();
        let mine = make(&clerk, &app, (room, user), 30, 2).await;
        let before = get(&clerk, mine[0]).await;
        let asked = [
            (line(1, user, phones_in(999, 2)), Reason::PhoneRoomGone),
            (line(2, 999, phones_in(room, 2)), Reason::PhoneUserGone),
            (line(3, id(&other), days(mine[0], 30)), Reason::PhoneOfOther),
            (line(4, user, days(999, 30)), Reason::PhoneGone),
            (line(5, user, disk(mine[0], 9968)), Reason::PhoneDiskLargest),
            (line(6, user, days(mine[1], 30)), Reason::PhoneReleased),
            (line(7, user, disk(mine[1], 8)), Reason::PhoneReleased),
        ];
        let some = json!({ "selection": { "ids": [mine[1]] }, "reason": "退订" });
        clerk.post(&format!("{PHONES}/release"), some.clone()).await.data();
        for (line, why) in &asked {
            assert_eq!(deliver(&app.app, line).await.unwrap(), Answer::Refused(*why), "{line:?}");
        }
        // Nothing stands in the way of the last two any more; their orders have been told otherwise.
        clerk.post(&format!("{PHONES}/restore"), some).await.data();
        for (line, why) in &asked {
            assert_eq!(deliver(&app.app, line).await.unwrap(), Answer::Refused(*why), "{line:?}");
        }
        assert_eq!((get(&clerk, mine[0]).await, total(&clerk).await), (before, json!(2)));
        assert_eq!(deliver(&app.app, &line(8, user, disk(mine[0], 9967))).await.unwrap(), Answer::Done(vec![PhoneId(mine[0])]));
        check_counters(&app).await;
    }

    async fn a_line_is_delivered_or_withdrawn_and_never_both(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        assert_eq!(withdraw(&app.app, OrderLineId(1)).await.unwrap(), Answer::Withdrawn);
        assert_eq!(deliver(&app.app, &line(1, user, phones_in(room, 1))).await.unwrap(), Answer::Withdrawn, "it comes late");
        let done = deliver(&app.app, &line(2, user, phones_in(room, 1))).await.unwrap();
        assert_eq!(withdraw(&app.app, OrderLineId(2)).await.unwrap(), done);
        // Both at once: whoever was first, both are told the same.
        for number in 3..11 {
            let asked = line(number, user, phones_in(room, 1));
            let (told, taken) = futures::join!(deliver(&app.app, &asked), withdraw(&app.app, asked.id));
            assert_eq!(told.unwrap(), taken.unwrap());
        }
        let db = app.app.db.read();
        let made = total(&clerk).await.as_u64().unwrap();
        let items = <entity::phone_order_item::Entity as sea_orm::EntityTrait>::find();
        assert_eq!(sea_orm::PaginatorTrait::count(items, db).await.unwrap(), made);
    }

    async fn a_line_that_asks_for_something_else_is_an_error_of_whoever_asks(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        deliver(&app.app, &line(1, user, phones_in(room, 1))).await.unwrap();
        let refused = deliver(&app.app, &line(1, user, phones_in(room, 2))).await;
        assert!(matches!(refused, Err(base::fault::Fault::Conflict(_))), "{refused:?}");
        assert_eq!(total(&clerk).await, 1);
    }
}

fn expiry(phone: &Value) -> i64 {
    kernel::time::UtcTime::parse_rfc3339(phone["expiresAt"].as_str().unwrap()).unwrap().millis() / 1000
}
