//! Phones whose kept copy turns out to be damaged when they are put on, with a test that acts as the agent: they come with an
//! older one once a person has accepted that, or stay off.

use entity::BackupId;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use phones::saga_round;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};

use super::by_rule::run;
use super::copied::{BACKUPS, copies};
use super::copy_steps::on;
use super::lost_steps::{ask, is_backed_up, nothing, stands};
use super::off_steps::{goes_off, take_off};
use super::put_on::row;

/// How the put-on of a phone stands that waits until somebody accepts an older copy.
fn asks() -> (Value, Value, Value) {
    (json!(SagaKind::PutOn.code()), json!(SagaState::Held.code()), json!("older_copy"))
}

/// A hand, a phone whose newest copy is found to be damaged when it is put on, so many older ones of which are whole, and the
/// operation that has asked for it.
async fn lies(app: &TestApp, clerk: &Caller<'_>, older: usize) -> (Hand, i64, Value) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    let phone = phones[0];
    for _ in 0..older {
        is_backed_up(app, &mut hand, clerk, phone).await;
    }
    // Its card is needed: it does not come back to that.
    hand.keep(clerk, 2).await;
    take_off(app, clerk, phone).await;
    goes_off(app, &mut hand, "boot-2", 'b').await;
    saga_round(&app.app).await.unwrap();
    let body = json!({ "selection": { "ids": hand.cards }, "assignable": true });
    clerk.post("/api/fleet/v1/cards/flags", body).await.data();
    let operation = put_on(clerk, &[phone]).await["id"].clone();
    fleet::operation::round(&app.app).await.unwrap();
    for kind in ["check", "claim", "apps"] {
        hand.does(app, kind).await;
    }
    for _ in 0..4 {
        let order = hand.fails(app, "restore", "copy_damaged", "unknown").await;
        assert_eq!(order["act"]["snapshot"], "b".repeat(64), "{order}");
        app.app.clock.advance_seconds(60);
    }
    (hand, phone, operation)
}

/// The newest put-on.
async fn comes(app: &TestApp) -> saga::Model {
    let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::PutOn)).order_by_desc(saga::Column::Id);
    all.one(app.app.db.read()).await.unwrap().unwrap()
}

async fn cancel(clerk: &Caller<'_>, saga: &saga::Model) -> (u16, i64) {
    let answer = clerk.post(&format!("/api/phone/v1/sagas/{}/cancel", saga.id), json!({})).await;
    (answer.http.as_u16(), answer.status())
}

db_test! {
    async fn a_phone_comes_with_an_older_copy_once_somebody_accepts_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, operation) = Box::pin(lies(&app, &clerk, 1)).await;
        let all = copies(&app).await;
        let (older, newer) = (&all[0], &all[1]);
        let before = comes(&app).await;
        assert_eq!((stands(&clerk, phone).await, row(&app, phone).await.kept_id), (asks(), Some(newer.id)));
        // Whoever looks is told of which time it is.
        let told = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
        let told = told.as_array().unwrap().iter().find(|saga| saga["id"] == json!(before.id)).unwrap().clone();
        assert_eq!(told["copyAt"], json!(older.began_at), "{told}");
        assert_ne!(told["words"], "", "{told}");
        assert_eq!(clerk.get(&format!("{PHONES}?held=true")).await.data()["total"], 1);
        let concerns = clerk.get("/api/general/v1/attention").await.data();
        assert!(concerns.to_string().contains("phonesComeNot"), "{concerns}");

        // It is read back meanwhile: it may be whole after all.
        let named = json!({ "backupId": older.id });
        assert_eq!(ask(&clerk, "accept-copy", named.clone(), phone).await.1, "phone_under_way");
        hand.fails(&app, "verify", "store_unreachable", "neverBegan").await;
        assert_eq!(stands(&clerk, phone).await, asks(), "nobody knows");
        assert_eq!(ask(&clerk, "take-off", json!({}), phone).await.1, "phone_off_machine");
        assert_eq!(ask(&clerk, "put-on", json!({}), phone).await.1, "phone_under_way", "it is asked for already");
        let limited = app.operator("limited", &["phone:list", "phone:putOn", "phone:retry"]).await;
        let body = json!({ "selection": { "ids": [phone] } });
        assert_eq!(limited.post(&format!("{PHONES}/accept-copy"), body).await.status(), 4003);
        assert_eq!(cancel(&limited, &before).await.1, 4003);

        // He says which one he has seen, and it has to be the one on offer.
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        assert_eq!(seen["underWay"]["offer"], json!({ "backupId": older.id, "copyAt": older.began_at }), "{seen}");
        let url = format!("{PHONES}/accept-copy");
        let body = json!({ "selection": { "ids": [phone] } });
        assert_eq!(clerk.post(&url, body).await.errors(), ["backupId required"]);
        let body = json!({ "selection": { "ids": [phone] }, "backupId": newer.id });
        assert_eq!(clerk.post(&url, body).await.brief(), (409, 4009));
        // Of several each is judged alone.
        for other in [json!(null), json!(newer.id)] {
            let body = json!({ "selection": { "ids": [phone, phone + 1000] }, "backupId": other });
            let made = clerk.post(&url, body).await.data();
            let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=9", made["id"])).await.data();
            assert_eq!(tasks["list"][0]["code"], "copy_not_offered", "{tasks}");
        }
        assert_eq!((stands(&clerk, phone).await, comes(&app).await.backup_id), (asks(), Some(older.id)));

        let named = json!({ "backupId": older.id, "reason": "asked the user" });
        let (accepted, _) = ask(&clerk, "accept-copy", named, phone).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &accepted).await["succeeded"], 1);
        assert!(app.audit_trail().await.contains(&"admin phone_copy_accepted 0".to_owned()));
        let after = comes(&app).await;
        assert_eq!((after.id, after.state, after.rank_at), (before.id, SagaState::Waiting, before.rank_at), "with its rank");
        assert_eq!(row(&app, phone).await.kept_id, Some(older.id));
        let left = copies(&app).await.remove(1);
        assert_eq!((left.state, &left.snapshot), (newer.state, &newer.snapshot), "what is damaged is left as it was");
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        let restore = hand.does(&app, "restore").await;
        assert_eq!(restore["act"]["snapshot"], "a".repeat(64), "{restore}");
        hand.does(&app, "boot").await;
        hand.does(&app, "health").await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let on = row(&app, phone).await;
        assert_eq!((on.use_type, on.kept_id), (UseType::On, Some(older.id)));
    }

    async fn whoever_does_not_want_the_older_copy_cancels(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, operation) = Box::pin(lies(&app, &clerk, 1)).await;
        let kept = row(&app, phone).await.kept_id;
        clerk.post(&format!("{OPERATIONS}/{operation}/cancel"), json!({})).await.data();
        saga_round(&app.app).await.unwrap();
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!((stands(&clerk, phone).await, comes(&app).await.state), (nothing(), SagaState::Cancelled));
        assert_eq!(get(&clerk, &operation).await["cancelled"], 1);
        let off = row(&app, phone).await;
        assert_eq!((off.use_type, off.kept_id), (UseType::Off, kept));
        hand.fails(&app, "verify", "store_unreachable", "neverBegan").await;

        // What nobody's operation is has no other way to be cancelled.
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        for _ in 0..4 {
            hand.fails(&app, "restore", "repo_damaged", "unknown").await;
            app.app.clock.advance_seconds(60);
        }
        run(&app, "UPDATE saga SET operation_id = NULL WHERE kind = 1 AND state = 6").await;
        let held = comes(&app).await;
        assert_eq!(stands(&clerk, phone).await, asks());
        assert_eq!(cancel(&clerk, &held).await, (200, 0));
        assert_eq!(cancel(&clerk, &held).await, (409, 4009), "it is over");
        assert_eq!((stands(&clerk, phone).await, comes(&app).await.state), (nothing(), SagaState::Cancelled));
        assert!(app.audit_trail().await.contains(&"admin saga_cancel 0".to_owned()));
    }

    async fn without_an_older_copy_it_ends_and_the_damage_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, operation) = Box::pin(lies(&app, &clerk, 0)).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!((stands(&clerk, phone).await, get(&clerk, &operation).await["failed"].clone()), (nothing(), json!(1)));
        let failed = comes(&app).await;
        assert_eq!((failed.state, &*failed.code), (SagaState::Failed, "copy_damaged"));
        hand.fails(&app, "verify", "copy_damaged", "neverBegan").await;
        let copy = copies(&app).await.remove(0);
        assert_eq!((&*copy.damage, row(&app, phone).await.kept_id), ("as the test says", Some(copy.id)), "it beats none");
        let concerns = clerk.get("/api/general/v1/attention").await.data();
        assert!(concerns.to_string().contains("backupDamaged"), "{concerns}");
        assert_eq!(ask(&clerk, "accept-copy", json!({}), phone).await.1, "phone_off_machine");
    }

    async fn an_offer_that_turns_out_to_be_damaged_is_replaced_by_the_next_or_ends_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, operation) = Box::pin(lies(&app, &clerk, 2)).await;
        let ids: Vec<BackupId> = copies(&app).await.iter().map(|copy| copy.id).collect();
        assert_eq!(comes(&app).await.backup_id, Some(ids[1]));
        hand.fails(&app, "verify", "store_unreachable", "neverBegan").await;
        let is_damaged = async |hand: &mut Hand, copy: BackupId| {
            assert_eq!(clerk.post(&format!("{BACKUPS}/{copy}/verify"), json!({})).await.brief(), (200, 0));
            hand.fails(&app, "verify", "copy_damaged", "neverBegan").await;
            // What the phone lives by is read because of that.
            hand.fails(&app, "verify", "store_unreachable", "neverBegan").await;
        };
        is_damaged(&mut hand, ids[1]).await;
        assert_eq!((stands(&clerk, phone).await, comes(&app).await.backup_id), (asks(), Some(ids[0])));
        // Whoever has seen the other one does not accept this.
        let body = json!({ "selection": { "ids": [phone] }, "backupId": ids[1] });
        let refused = clerk.post(&format!("{PHONES}/accept-copy"), body).await;
        assert_eq!(refused.brief(), (409, 4009));
        assert_eq!((stands(&clerk, phone).await, row(&app, phone).await.kept_id), (asks(), Some(ids[2])));
        is_damaged(&mut hand, ids[0]).await;
        let over = comes(&app).await;
        assert_eq!((over.state, &*over.code), (SagaState::Failed, "copy_damaged"));
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["failed"], 1);
        assert_eq!(row(&app, phone).await.kept_id, Some(ids[2]), "nobody knows that it is damaged");
    }
}
