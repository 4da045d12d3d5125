//! What time does to phones.

use phones::{Passed, pass};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::{DAY, PHONES, check_counters, lives, make, put_on, world};

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
}
