//! Phones that cards say they carry and that the books do not explain: no bulk act destroys them but the one that is for
//! that, by two.

use entity::placement::{self, Role};
use entity::{CardId, PhoneId, PlacementId, card};
use fleet::Session;
use fleet::operation::{claim, record_results, round};
use phones::{DemoNode, demo_node};
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, done, get};
use testroom::phone::{another, phone};
use testroom::room::{console, hurry, joined, run_agent, simulated, until, until_online};
use testroom::site::CARDS;
use wire::{Act, Mark, Outcome};

use super::second_look::put_on;
use super::{result, up};

/// Factory reset and wipe, as previews name them, and the act for strays.
const ERASE: [i64; 2] = [11, 12];
const WIPE_STRAY: i64 = 22;

/// What these cards carry, as their agent has told.
async fn carry(app: &TestApp, said: &[(i64, &str)]) {
    let tx = app.app.db.begin_write().await.unwrap();
    for (id, mark) in said {
        let row = card::ActiveModel { id: Set(CardId(*id)), mark: Set(Some((*mark).to_owned())), ..Default::default() };
        card::Entity::update(row).exec(&*tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// A phone's stay on a card that has just ended.
async fn stayed(app: &TestApp, phone: i64, card: i64) -> Mark {
    let now = app.app.clock.now();
    let row = placement::ActiveModel {
        phone_id: Set(PhoneId(phone)),
        card_id: Set(CardId(card)),
        role: Set(Role::Ended),
        is_quarantined: Set(false),
        began_at: Set(now),
        ended_at: Set(Some(now)),
        ..Default::default()
    };
    let tx = app.app.db.begin_write().await.unwrap();
    let made = placement::Entity::insert(row).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    Mark { phone, placement: made.last_insert_id.0 }
}

async fn run(app: &TestApp, text: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    tx.commit().await.unwrap();
}

/// The phone lives by a copy of that card, which was begun at this time, and was read back once more long after it.
async fn copied(app: &TestApp, session: &Session, (phone, card): (i64, i64), began_at: i64) {
    let at = DemoNode { name: "杭州-存储-01", city: "杭州", latitude: 30.0, longitude: 120.0 };
    let tx = app.app.db.begin_write().await.unwrap();
    demo_node(&*tx, session.agent, at, app.app.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
    let repo = "INSERT INTO repo (phone_id, node_id, folder, created_at)";
    run(app, &format!("{repo} SELECT {phone}, MIN(id), 'p1', 0 FROM store_node")).await;
    let copy = "INSERT INTO backup (phone_id, repo_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes,
         added_bytes, manifest, code, restores, millis, began_at, verified_at)";
    run(app, &format!("{copy} SELECT {phone}, MIN(id), '', 1, {card}, 'an image', 'RK_3399', 4, '', false, 1, 1, 0, '', '', 0, 1, {began_at}, {began_at} + 86400000 FROM repo")).await;
    run(app, &format!("UPDATE phone SET kept_id = (SELECT MIN(id) FROM backup) WHERE id = {phone}")).await;
}

/// How many cards it would run on, and why not on the others.
async fn judged(clerk: &Caller<'_>, cards: &[i64], kind: i64, force: bool) -> (i64, Vec<(String, i64)>) {
    let body = json!({ "selection": { "ids": cards }, "kind": kind, "force": force });
    let preview = clerk.post(&format!("{OPERATIONS}/preview"), body).await.data();
    let left = preview["leftOut"].as_array().unwrap().iter();
    let left = left.map(|group| (group["code"].as_str().unwrap().to_owned(), group["count"].as_i64().unwrap()));
    (preview["willRun"].as_i64().unwrap(), left.collect())
}

fn asked(cards: &[i64], kind: &str) -> Value {
    json!({ "selection": { "ids": cards }, "act": { "kind": kind }, "options": { "force": true, "reason": "清空" } })
}

/// Lets an agent do all that it is given, as if it had; what that was.
async fn given(app: &TestApp, session: &Session) -> Vec<wire::Task> {
    let mut all = Vec::new();
    loop {
        let tasks = claim(&app.app, session).await.unwrap();
        if tasks.is_empty() {
            all.sort_unstable_by_key(|task: &wire::Task| task.card);
            return all;
        }
        let said: Vec<_> = tasks.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, session, &said).await.unwrap();
        all.extend(tasks);
    }
}

/// Why each task of an operation did not succeed.
async fn codes(clerk: &Caller<'_>, made: &Value) -> Vec<Value> {
    let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=20", made["id"])).await.data();
    tasks["list"].as_array().unwrap().iter().map(|task| task["code"].clone()).collect()
}

db_test! {
    async fn a_card_that_carries_a_phone_of_which_nobody_knows_is_left_out_forced_or_not(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let phone = phone(&app, &clerk, session.room.0).await;
        let left = stayed(&app, phone, cards[1]).await;
        let mark = left.to_string();
        carry(&app, &[(cards[0], "99.7"), (cards[1], &mark), (cards[2], "wiping 99.8"), (cards[3], "clean 00ff"),
            (cards[4], "-"), (cards[5], "?")]).await;
        for kind in ERASE {
            for force in [false, true] {
                assert_eq!(judged(&clerk, &cards, kind, force).await, (5, vec![("stray_phone".to_owned(), 3)]));
            }
        }
        let made = clerk.post(OPERATIONS, asked(&cards, "wipe")).await.data();
        assert_eq!((&made["pending"], &made["skipped"]), (&json!(5), &json!(3)));
        let done = given(&app, &session).await;
        assert_eq!(done.iter().map(|task| task.card).collect::<Vec<_>>(), cards[3..]);
        assert!(done.iter().all(|task| task.mark.is_none()), "no phone may be there: {done:?}");
        let group = &get(&clerk, &made["id"]).await["reasons"][0];
        assert_eq!((&group["code"], &group["words"]), (&json!("stray_phone"), &json!("卡上有另一台云手机的数据，已隔离")));
        // Nothing is wiped by a reboot: it is done.
        assert_eq!(judged(&clerk, &cards, 1, false).await, (8, vec![]));

        // A copy that was begun before the stay has ended may lack what was written since, whenever it was read back.
        let stay = placement::Entity::find_by_id(PlacementId(left.placement)).one(app.app.db.read()).await.unwrap();
        let ended = stay.and_then(|stay| stay.ended_at).unwrap().millis();
        copied(&app, &session, (phone, cards[1]), ended).await;
        let one = &cards[1..2];
        let kept_out = || (0, vec![("stray_phone".to_owned(), 1)]);
        assert_eq!(judged(&clerk, one, 12, true).await, kept_out());
        // One that is read back once more is as old as it was.
        run(&app, &format!("UPDATE backup SET verified_at = {}", ended + 2)).await;
        assert_eq!(judged(&clerk, one, 12, true).await, kept_out());
        run(&app, &format!("UPDATE backup SET began_at = {}", ended + 1)).await;
        assert_eq!(judged(&clerk, one, 12, true).await, (1, vec![]));
        assert_eq!(judged(&clerk, one, WIPE_STRAY, true).await, (0, vec![("no_stray".to_owned(), 1)]), "it takes no two");
        // The agent is told that this phone may be there, and only this one.
        clerk.post(OPERATIONS, asked(one, "factoryReset")).await.data();
        assert_eq!(given(&app, &session).await[0].mark, Some(left));
        run(&app, "UPDATE backup SET damage = 'pack'").await;
        assert_eq!(judged(&clerk, one, 12, true).await, kept_out());
        // Of an erased phone nothing is to be kept.
        run(&app, "UPDATE phone SET life = 5, stays_until = 1").await;
        run(&app, "UPDATE phone SET life = 6, kept_id = NULL, stays_until = NULL").await;
        assert_eq!(judged(&clerk, one, 12, true).await, (1, vec![]));
        // Another phone's mark with the number of that stay is nobody's.
        carry(&app, &[(cards[1], &format!("{}.{}", phone + 1, left.placement))]).await;
        assert_eq!(judged(&clerk, one, 12, true).await, kept_out());
    }

    async fn a_card_whose_mark_turns_out_to_be_foreign_is_spared_by_what_was_scheduled(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        carry(&app, &[(cards[0], "-"), (cards[1], "-"), (cards[2], "-")]).await;
        let soon = app.app.clock.now().plus_seconds(60);
        let mut scheduled = Vec::new();
        for kind in ["wipe", "factoryReset"] {
            let mut body = asked(&cards[..3], kind);
            body["options"]["notBefore"] = json!(soon);
            scheduled.push(clerk.post(OPERATIONS, body).await.data());
        }
        assert!(scheduled.iter().all(|made| made["pending"] == 3), "{scheduled:?}");
        carry(&app, &[(cards[0], "99.7")]).await;
        app.app.clock.advance_seconds(61);
        while round(&app.app).await.unwrap() {}
        let given = given(&app, &session).await;
        assert_eq!(given.iter().map(|task| task.card).collect::<Vec<_>>(), [cards[1], cards[1], cards[2], cards[2]]);
        for made in &scheduled {
            let ended = get(&clerk, &made["id"]).await;
            assert_eq!((&ended["state"], &ended["succeeded"], &ended["skipped"]), (&json!(7), &json!(2), &json!(1)), "{ended}");
            assert_eq!(ended["reasons"][0]["code"], "stray_phone");
        }
    }

    async fn two_operators_have_a_stray_phone_wiped_and_nothing_else(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let held = phone(&app, &clerk, session.room.0).await;
        put_on(&app, held, cards[1]).await;
        carry(&app, &[(cards[0], "99.7"), (cards[1], "99.8"), (cards[2], "-"), (cards[3], "99.9"), (cards[4], "99.10")]).await;
        let left_out = || vec![("holds_phone".to_owned(), 1), ("no_stray".to_owned(), 1)];
        assert_eq!(judged(&clerk, &cards[..3], WIPE_STRAY, true).await, (1, left_out()));
        let ask = json!({ "selection": { "ids": cards[..1] }, "kind": WIPE_STRAY });
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), ask).await.data()["needsApproval"], true, "however few");

        let mut silent = asked(&cards[..3], "wipeStray");
        silent["options"] = json!({});
        assert_eq!(clerk.post(OPERATIONS, silent).await.errors(), ["options.reason required"]);
        let limited = app.operator("limited", &["device:list", "device:reset"]).await;
        assert_eq!(limited.post(OPERATIONS, asked(&cards[..3], "wipeStray")).await.brief(), (200, 4003));
        app.app.clock.advance_seconds(601);
        assert_eq!(clerk.post(OPERATIONS, asked(&cards[..3], "wipeStray")).await.status(), 4011, "it takes a fresh proof");
        let first = app.signed_in("first", clerk.group.unwrap()).await;
        let made = first.post(OPERATIONS, asked(&cards[..3], "wipeStray")).await.data();
        assert_eq!((&made["state"], &made["pending"], &made["skipped"]), (&json!(2), &json!(1), &json!(2)), "{made}");
        let other = first.post(OPERATIONS, asked(&cards[3..5], "wipeStray")).await.data();
        assert!(claim(&app.app, &session).await.unwrap().is_empty(), "one alone does not");

        let approve = |made: &Value| format!("{OPERATIONS}/{}/approve", made["id"]);
        let yes = json!({ "approved": true });
        assert_eq!(first.post(&approve(&made), yes.clone()).await.brief(), (409, 4009), "nor his own word twice");
        let approver = app.operator("approver", &["operation:list", "operation:approve"]).await;
        assert_eq!(approver.post(&approve(&made), yes.clone()).await.status(), 4003, "it takes the right to wipe them");
        let second = app.operator("second", &["operation:list", "operation:approve", "card:wipeStray"]).await;
        second.post(&approve(&made), yes.clone()).await.data();
        let done = given(&app, &session).await;
        assert_eq!(done.len(), 1, "{done:?}");
        let is_told = (done[0].card, &done[0].act, done[0].mark);
        assert_eq!(is_told, (cards[0], &Act::FactoryReset, Some(Mark { phone: 99, placement: 7 })));
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["state"], &ended["succeeded"], &ended["approvedBy"]), (&json!(7), &json!(1), &json!("second")));
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"first operation_wipe_stray 0".to_owned()), "{trail:?}");

        // The cards are judged again when an agent gets them.
        second.post(&approve(&other), yes).await.data();
        let came = another(&app, &clerk, session.room.0).await;
        put_on(&app, came, cards[3]).await;
        carry(&app, &[(cards[4], "-")]).await;
        assert!(given(&app, &session).await.is_empty());
        let mut why = codes(&clerk, &other).await;
        why.sort_by_key(ToString::to_string);
        assert_eq!(why, ["holds_phone", "no_stray"]);
    }

    async fn a_card_whose_mark_is_damaged_is_left_out_until_two_have_it_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let held = phone(&app, &clerk, session.room.0).await;
        put_on(&app, held, cards[4]).await;
        carry(&app, &[(cards[0], "17.4 and more"), (cards[1], "?"), (cards[2], ""), (cards[3], "clean 00ff"), (cards[4], "?!")]).await;
        let mut states = Vec::new();
        for card in &cards[..5] {
            let card = clerk.get(&format!("{CARDS}/{card}")).await.data();
            states.push((card["markState"].as_i64().unwrap(), card["mark"].as_str().map(str::to_owned)));
        }
        let says = |state, mark: Option<&str>| (state, mark.map(str::to_owned));
        let wanted = [says(9, Some("17.4 and more")), says(8, None), says(8, None), says(6, Some("clean 00ff")), says(9, Some("?!"))];
        assert_eq!(states, wanted);

        // Of one that could not be read the agent finds out.
        for kind in ERASE {
            let left_out = vec![("holds_phone".to_owned(), 1), ("stray_phone".to_owned(), 1)];
            assert_eq!(judged(&clerk, &cards[..5], kind, true).await, (3, left_out));
        }
        let left_out = vec![("holds_phone".to_owned(), 1), ("no_stray".to_owned(), 1)];
        assert_eq!(judged(&clerk, &cards[..5], WIPE_STRAY, true).await, (3, left_out));
        let made = clerk.post(OPERATIONS, asked(&cards[..5], "wipeStray")).await.data();
        assert!(claim(&app.app, &session).await.unwrap().is_empty(), "one alone does not");
        // By the time it is approved, one of them says whose it is.
        carry(&app, &[(cards[1], "99.7")]).await;
        let second = app.signed_in("second", clerk.group.unwrap()).await;
        second.post(&format!("{OPERATIONS}/{}/approve", made["id"]), json!({ "approved": true })).await.data();
        let done = given(&app, &session).await;
        let told: Vec<_> = done.iter().map(|task| (task.card, task.mark, task.damaged)).collect();
        let phone = Mark { phone: 99, placement: 7 };
        assert_eq!(told, [(cards[0], None, true), (cards[1], Some(phone), true), (cards[2], None, true)]);

        // Who erases what is nobody's takes no such card with him.
        clerk.post(OPERATIONS, asked(&cards[1..4], "factoryReset")).await.data();
        assert!(given(&app, &session).await.iter().all(|task| !task.damaged && task.card != cards[1]));
    }

    async fn a_stray_phone_stays_on_its_simulated_card_until_two_have_it_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 6, 2).await;
        room.cards[0].put_file("/data/skyrack", "owner", b"99.7\n").unwrap();
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until_online(&clerk, 2).await;
        let list = clerk.get(&format!("{CARDS}?pageSize=10")).await.data();
        let mut cards: Vec<i64> = list["list"].as_array().unwrap().iter().map(|card| card["id"].as_i64().unwrap()).collect();
        cards.sort_unstable();
        let says = async |states: [i64; 2]| {
            until("the cards say whose they are", async || {
                for (card, state) in cards.iter().zip(states) {
                    if clerk.get(&format!("{CARDS}/{card}")).await.data()["markState"] != state {
                        return false;
                    }
                }
                true
            }).await;
        };
        says([6, 2]).await;

        let made = clerk.post(OPERATIONS, asked(&cards, "factoryReset")).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["skipped"], &ended["reasons"][0]["code"]), (&json!(1), &json!(1), &json!("stray_phone")));
        assert_eq!((room.cards[0].boots(), room.cards[1].boots()), (1, 2));

        until_online(&clerk, 2).await;
        let made = clerk.post(OPERATIONS, asked(&cards, "wipeStray")).await.data();
        let second = app.signed_in("second", clerk.group.unwrap()).await;
        second.post(&format!("{OPERATIONS}/{}/approve", made["id"]), json!({ "approved": true })).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["skipped"], &ended["reasons"][0]["code"]), (&json!(1), &json!(1), &json!("no_stray")));
        assert_eq!((room.cards[0].boots(), room.cards[1].boots()), (2, 2));
        assert_eq!(room.cards[0].state().effects.get("wipe"), Some(&1));
        says([2, 2]).await;
    }
}
