//! What time does to phones.

use entity::client_user::{self, ClientUserStatus};
use entity::phone::{Entity, Life};
use entity::{ClientUserId, PhoneId};
use phones::{Passed, pass};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::{DAY, PHONES, USERS, check_counters, id, lives, make, put_on, world};

const HOUR: i64 = 3_600;

db_test! {
    async fn a_phone_expires_is_released_after_its_grace_and_erased_after_its_stay(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 1, 3).await;
        put_on(&app, &clerk, room, ids[2], "10.9.0.7").await;
        let settings = "/api/phone/v1/settings/life";
        let view = clerk.get(settings).await.data();
        assert_eq!(view["stay"], 7);
        clerk.put(settings, json!({ "stay": 3, "version": view["version"] })).await.data();
        assert_eq!(clerk.put(settings, json!({ "stay": 31, "version": 1 })).await.errors(), ["stay integer.range"]);
        // For how long an expired phone is kept is a rule.
        let grace = json!({ "scope": 1, "version": 0, "values": { "releaseGrace": 2 } });
        clerk.put("/api/phone/v1/rules", grace).await.data();

        let after = async |days: i64| {
            app.app.clock.advance_seconds(days * DAY);
            let Passed { expired, released, erased } = pass(&app.app).await.unwrap();
            (expired, released, erased)
        };
        assert_eq!(after(0).await, (0, 0, 0));
        assert_eq!(after(1).await, (3, 0, 0));
        assert_eq!(after(0).await, (0, 0, 0), "it is safe to run twice");
        // One that is renewed within its grace is as before.
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        clerk.post(&format!("{PHONES}/renew"), json!({ "selection": { "ids": [ids[1]] }, "days": 300 })).await.data();
        // One on the machine waits until it is taken off.
        assert_eq!(after(2).await, (0, 1, 0));
        let clerk = app.signed_in("third", clerk.group.unwrap()).await;
        assert_eq!(lives(&clerk, &ids).await, [5, 2, 4]);
        assert_eq!(after(3).await, (0, 0, 1));
        let clerk = app.signed_in("fourth", clerk.group.unwrap()).await;
        assert_eq!(lives(&clerk, &ids).await, [6, 2, 4]);
        let page = clerk.get(PHONES).await.data();
        assert_eq!(page["total"], 2, "an erased phone is not among them unless asked for");
        assert_eq!(clerk.get(&format!("{PHONES}?life=6")).await.data()["total"], 1);
        let trail = app.audit_trail().await;
        for act in ["phone_expired", "phone_released", "phone_erased"] {
            assert!(trail.iter().any(|line| line.contains(act)), "{act}: {trail:?}");
        }
        check_counters(&app).await;
    }

    async fn the_phones_of_a_closed_account_are_released_and_erased_after_their_stay(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 90, 2).await;
        let other = id(&clerk.post(USERS, json!({ "name": "李四", "phone": "13800000002", "identCode": "LS2" })).await.data());
        let kept = make(&clerk, &app, (room, other), 90, 1).await;
        let passed = async || {
            let Passed { expired, released, erased } = pass(&app.app).await.unwrap();
            (expired, released, erased)
        };
        let account = async |status: ClientUserStatus| {
            let row = client_user::ActiveModel { id: Set(ClientUserId(user)), status: Set(status), ..Default::default() };
            let tx = app.app.db.begin_write().await.unwrap();
            client_user::Entity::update(row).exec(&*tx).await.unwrap();
            tx.commit().await.unwrap();
        };
        account(ClientUserStatus::Disabled).await;
        assert_eq!(passed().await, (0, 0, 0), "who is disabled may be let in again");
        account(ClientUserStatus::LoggedOut).await;
        assert_eq!(passed().await, (0, 2, 0));
        assert_eq!(passed().await, (0, 0, 0), "it is safe to run twice");
        assert_eq!((lives(&clerk, &ids).await, lives(&clerk, &kept).await), (vec![5, 5], vec![2]));
        let trail = app.audit_trail().await;
        assert!(trail.iter().any(|line| line.contains("phone_account_closed")), "{trail:?}");

        // Nobody has them back.
        let all = json!({ "selection": { "ids": ids }, "act": { "kind": "restore" } });
        let seen = clerk.post(&format!("{PHONES}/preview"), all).await.data();
        assert_eq!((&seen["willRun"], &seen["leftOut"][0]["code"]), (&json!(0), &json!("phone_user_gone")), "{seen}");
        clerk.post(&format!("{PHONES}/restore"), json!({ "selection": { "ids": ids } })).await.data();
        assert_eq!(lives(&clerk, &ids).await, [5, 5]);
        app.app.clock.advance_seconds(7 * DAY);
        assert_eq!(passed().await, (0, 0, 2));
        check_counters(&app).await;
    }

    async fn a_clock_that_is_set_by_an_hour_expires_nobody_twice_and_releases_nobody_early(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let world = world(&clerk).await;
        let soon = make(&clerk, &app, world, 1, 2).await;
        let later = make(&clerk, &app, world, 2, 1).await;
        let passed = async || {
            let Passed { expired, released, erased } = pass(&app.app).await.unwrap();
            (expired, released, erased)
        };
        let row = async |id: i64| Entity::find_by_id(PhoneId(id)).one(app.app.db.read()).await.unwrap().unwrap();
        let before = row(soon[0]).await;
        // Two of them run out within half an hour.
        app.app.clock.advance_seconds(DAY - 1800);
        assert_eq!(passed().await, (0, 0, 0));
        app.app.clock.jump_seconds(-HOUR);
        assert_eq!(passed().await, (0, 0, 0));
        // An hour ahead of what it is: as far as anybody can know they have, and nothing else has happened.
        app.app.clock.jump_seconds(2 * HOUR);
        assert_eq!(passed().await, (2, 0, 0));
        // It is set right, and too far: what was done is neither undone nor done again.
        for seconds in [-HOUR, -HOUR, HOUR] {
            app.app.clock.jump_seconds(seconds);
            assert_eq!(passed().await, (0, 0, 0));
            assert_eq!((row(soon[0]).await.life, row(soon[1]).await.life), (Life::Expired, Life::Expired));
        }
        // Whoever renews has lost no minute of what he had.
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        clerk.post(&format!("{PHONES}/renew"), json!({ "selection": { "ids": [soon[0]] }, "days": 300 })).await.data();
        let after = row(soon[0]).await;
        assert_eq!((after.life, after.expires_at), (Life::Active, before.expires_at.plus_seconds(300 * DAY)));

        app.app.clock.advance_seconds(HOUR);
        assert_eq!(passed().await, (0, 0, 0), "once");
        app.app.clock.advance_seconds(DAY);
        assert_eq!(passed().await, (1, 0, 0), "the third one, at its time");
        let lives = (row(soon[0]).await.life, row(soon[1]).await.life, row(later[0]).await.life);
        assert_eq!(lives, (Life::Active, Life::Expired, Life::Expired));
        check_counters(&app).await;
    }
}
