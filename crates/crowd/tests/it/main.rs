//! A crowd at a served console, whose room's agent is the test: who stands in the queue, who is let in, and that nobody is left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

use crowd::{Crowd, Settings, Watcher};
use entity::connect::{self, ConnectState};
use entity::placement::{self, Role};
use entity::saga::{self, SagaState};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::json;
use testapp::{CODES, Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::PHONES;
use testroom::room::until;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const APPS: &str = "/api/platform/v1/open-apps";
const USERS: &str = "/api/user/v5/user/getPageUserInfo";
const ADDRESSES: &str = "/api/platform/v1/service-addresses";
/// A round of three quarters of an hour takes two seconds.
const SPEED: u32 = 1440;

/// A room with so many cards for phones, and customers with a phone each; and what their crowd needs to play.
async fn scene(app: &TestApp, clerk: &Caller<'_>, cards: usize, customers: u32) -> (Hand, Settings) {
    let hand = Box::pin(Hand::take(app, clerk)).await;
    hand.keep(clerk, cards).await;
    let expires = app.app.clock.now().plus_seconds(30 * 86_400);
    for number in 1..=customers {
        let user = json!({ "name": format!("客户{number}"), "phone": format!("1380000{number:04}"), "identCode": format!("C{number}") });
        let user = clerk.post("/api/user/v1/client-users", user).await.data();
        let phone = json!({ "userId": user["id"], "plan": 2, "roomId": hand.room, "diskGb": 32, "expiresAt": expires });
        clerk.post(PHONES, phone).await.data();
    }
    let form = json!({ "name": "人群", "owner": 1, "scopes": ["user", "phone", "gateway"], "perSecond": 5000 });
    let made = clerk.post(APPS, form).await.data();
    let key = clerk.post(&format!("{APPS}/{}/keys", made["id"]), json!({})).await.data();
    let text = |field: &str| key[field].as_str().unwrap().to_owned();
    let console = hand.console.url.clone();
    let (key, secret) = (text("code"), text("secret"));
    (hand, Settings { console, key, secret, customers, seed: 1, speed: SPEED, switchboard: None })
}

async fn gateway(clerk: &Caller<'_>) {
    let body = json!({ "name": "gw-1", "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 10 });
    clerk.post(ADDRESSES, body).await.data();
}

/// Customers come, until they are to leave.
fn begin(crowd: &Arc<Crowd>) -> (CancellationToken, JoinHandle<()>) {
    let (stop, crowd) = (CancellationToken::new(), Arc::clone(crowd));
    let stopped = stop.clone();
    (stop, tokio::spawn(async move { crowd.play(stopped).await }))
}

/// The phones that wait for a card, the first one first.
async fn queue(app: &TestApp) -> Vec<String> {
    let waiting = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Waiting));
    let rows = waiting.order_by_asc(saga::Column::RankAt).order_by_asc(saga::Column::Id).all(app.app.db.read()).await;
    rows.unwrap().into_iter().map(|row| row.phone_id.to_string()).collect()
}

/// How many phones somebody connects to.
async fn connected(app: &TestApp) -> u64 {
    let open = connect::Entity::find().filter(connect::Column::State.is_in(ConnectState::OPEN));
    open.count(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn a_seed_makes_the_same_queue_twice_and_another_one_another(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (_hand, settings) = Box::pin(scene(&app, &clerk, 0, 6)).await;
        gateway(&clerk).await;
        let mut queues = Vec::new();
        for seed in [1, 1, 2] {
            let crowd = Arc::new(Crowd::gather(Settings { seed, ..settings.clone() }).await.unwrap());
            assert_eq!(crowd.size(), (6, 6));
            let (stop, playing) = begin(&crowd);
            until("all wait", async || crowd.figures().waiting == 6).await;
            let stands = queue(&app).await;
            assert_eq!(stands, crowd.order(), "in the order in which they come");
            stop.cancel();
            playing.await.unwrap();
            assert_eq!((queue(&app).await.len(), connected(&app).await), (0, 0), "whoever leaves says so");
            assert_eq!(crowd.figures().waiting, 0);
            queues.push(stands);
        }
        assert_eq!(queues[0], queues[1]);
        assert_ne!(queues[0], queues[2]);
    }

    async fn nobody_is_on_two_cards_and_whoever_is_let_in_plays_and_comes_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (mut hand, settings) = Box::pin(scene(&app, &clerk, 2, 4)).await;
        gateway(&clerk).await;
        let crowd = Arc::new(Crowd::gather(settings.clone()).await.unwrap());
        let (_stop, playing) = begin(&crowd);
        until("all wait", async || crowd.figures().waiting == 4).await;
        let first = queue(&app).await;
        // Two phones, each checked, claimed, booted and found well.
        for _ in 0..8 {
            let step = Box::pin(hand.step(&app)).await;
            hand.tell(&step, json!({ "end": "succeeded" })).await;
        }
        until("they come back to their phones", async || crowd.figures().let_in >= 4).await;
        let figures = crowd.figures();
        assert!(figures.waiting >= 2, "the others still wait: {figures}");
        assert_eq!(figures.shared, 0, "{figures}");
        assert!(figures.refused.is_empty(), "{figures}");

        let holds = placement::Entity::find().filter(placement::Column::Role.eq(Role::Holds));
        let stays = holds.all(app.app.db.read()).await.unwrap();
        let cards: HashSet<_> = stays.iter().map(|stay| stay.card_id).collect();
        let phones: HashSet<String> = stays.iter().map(|stay| stay.phone_id.to_string()).collect();
        assert_eq!((stays.len(), cards.len()), (2, 2));
        let ahead: HashSet<String> = first[..2].iter().cloned().collect();
        assert_eq!(phones, ahead, "the first two of the queue");
        assert_eq!(queue(&app).await, first[2..]);

        // Another one with the same key finds nobody of the first: it has broken off, and left nobody behind.
        playing.abort();
        assert!(playing.await.unwrap_err().is_cancelled());
        assert!(connected(&app).await >= 2);
        let used: Arc<Mutex<BTreeMap<String, bool>>> = Arc::default();
        let hears = Arc::clone(&used);
        let watcher = Watcher::new(move |card, is_used| _ = hears.lock().unwrap().insert(card.to_owned(), is_used));
        let next = Arc::new(Crowd::gather(settings).await.unwrap().watched(watcher));
        assert_eq!(connected(&app).await, 0);
        let (stop, playing) = begin(&next);
        until("somebody plays", async || next.figures().let_in > 0).await;
        stop.cancel();
        playing.await.unwrap();
        assert_eq!((next.figures().playing, connected(&app).await), (0, 0));
        let used = used.lock().unwrap().clone();
        assert!(!used.is_empty() && used.values().all(|is_used| !is_used), "of each card it is told when that ends: {used:?}");
        let streams = connect::Entity::find().filter(connect::Column::StreamAt.is_not_null());
        assert_eq!(streams.count(app.app.db.read()).await.unwrap(), 0);
    }

    async fn whoever_does_not_get_in_is_told_why_and_who_has_no_phone_registers(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (_hand, settings) = Box::pin(scene(&app, &clerk, 2, 2)).await;
        // No gateway serves the room.
        let settings = Settings { customers: 5, ..settings };
        let crowd = Arc::new(Crowd::gather(settings.clone()).await.unwrap());
        assert_eq!(crowd.size(), (5, 2));
        let (stop, playing) = begin(&crowd);
        until("they are told", async || crowd.figures().refused.get("no_gateway").is_some_and(|times| *times >= 2)).await;
        stop.cancel();
        playing.await.unwrap();
        let figures = crowd.figures();
        assert_eq!((figures.let_in, figures.waiting, figures.refused.len()), (0, 0, 1), "{figures}");
        assert_eq!((queue(&app).await.len(), connected(&app).await), (0, 0));

        assert_eq!(Crowd::gather(settings.clone()).await.unwrap().size(), (5, 2), "nobody registers twice");
        assert_eq!(clerk.post(USERS, json!({})).await.data()["total"], 5);

        let refused = |why: anyhow::Result<Crowd>| format!("{:#}", why.unwrap_err());
        let wrong = Settings { secret: "another".to_owned(), ..settings.clone() };
        assert!(refused(Crowd::gather(wrong).await).contains("(signature)"));
        let nowhere = Settings { switchboard: Some("http://127.0.0.1:9/".parse().unwrap()), ..settings.clone() };
        assert!(refused(Crowd::gather(nowhere).await).contains("the switchboard at http://127.0.0.1:9/"));
        let form = json!({ "name": "后台", "owner": 1, "scopes": ["user", "phone"], "perSecond": 5 });
        let made = clerk.post(APPS, form).await.data();
        let key = clerk.post(&format!("{APPS}/{}/keys", made["id"]), json!({})).await.data();
        let text = |field: &str| key[field].as_str().unwrap().to_owned();
        let narrow = Settings { key: text("code"), secret: text("secret"), ..settings };
        assert!(refused(Crowd::gather(narrow).await).contains("lacks the scope gateway"));
    }
}
