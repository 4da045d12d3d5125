//! A phone that was copied is erased, step by step: nobody can open its copies from then on, and an agent removes them from the
//! storage node, whoever dies in between.

use std::path::Path;

use entity::backup::{self, BackupState};
use entity::phone::{Life, UseType};
use entity::repo;
use entity::saga::{self, SagaKind, SagaState};
use phones::{Passed, pass, saga_round};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::until;
use vault::store::view;

use super::by_rule;
use super::cleared::give_up;
use super::copied::Scene;
use super::copy_steps::{last, on};
use super::off_steps::{clearing, goes_off, take_off};
use super::put_on::row;
use super::taken_off::{self, ended};

const BACKUPS: &str = "/api/storage/v1/backups";

/// A phone that has left its card, by a copy of everything.
async fn off(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    take_off(app, clerk, phones[0]).await;
    goes_off(app, &mut hand, "boot-1", 'a').await;
    assert_eq!(row(app, phones[0]).await.use_type, UseType::Off);
    (hand, phones[0])
}

async fn erased(app: &TestApp) -> u64 {
    let Passed { erased, .. } = pass(&app.app).await.unwrap();
    erased
}

async fn repository(app: &TestApp) -> repo::Model {
    repo::Entity::find().one(app.app.db.read()).await.unwrap().unwrap()
}

async fn sagas(app: &TestApp) -> u64 {
    let sagas = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::Erase));
    sagas.count(app.app.db.read()).await.unwrap()
}

/// Whether the books have what opens the repository.
async fn has_keys(app: &TestApp) -> bool {
    let repo = repository(app).await.id;
    let key = view(app.app.db.read(), &format!("repo.{repo}.key")).await.unwrap();
    let recovery = view(app.app.db.read(), &format!("repo.{repo}.recovery")).await.unwrap();
    assert_eq!(key.set, recovery.set);
    key.set
}

db_test! {
    async fn a_copied_phone_is_erased_at_its_storage_node_whoever_dies_in_between(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(off(&app, &clerk)).await;
        let copy = last(&app).await;
        let backup = format!("{BACKUPS}/{}", copy.id);
        assert_eq!(erased(&app).await, 0, "nobody has given it up");
        give_up(&app, &clerk, phone).await;
        assert!(has_keys(&app).await);
        let folder = repository(&app).await.folder;

        // In the books it is done at once, and what it has left on its card goes.
        assert_eq!(erased(&app).await, 1);
        let gone = row(&app, phone).await;
        assert_eq!((gone.life, gone.kept_id, gone.use_type), (Life::Erased, None, UseType::Off));
        assert!(!has_keys(&app).await);
        assert_eq!(last(&app).await.state, BackupState::Deleting);
        assert_eq!((clearing(&app).await.state, &*clearing(&app).await.code), (SagaState::Held, "no_profile"), "it begins");
        for act in ["reveal", "verify"] {
            assert_eq!(clerk.post(&format!("{backup}/{act}"), json!({})).await.status(), 4009, "{act}");
        }
        assert_eq!(erased(&app).await, 0, "once");
        app.app.clock.advance_seconds(30);

        // The node is away, and then the agent.
        let step = hand.fails(&app, "erase", "store_unreachable", "neverBegan").await;
        assert_eq!((&step["act"]["folder"], &step["mark"]), (&json!(folder), &serde_json::Value::Null), "{step}");
        app.app.clock.advance_seconds(60);
        let step = hand.step(&app).await;
        assert_eq!(step["act"]["kind"], "erase");
        hand.goes(&app).await;
        hand.comes_back(wire::PROTOCOL, &[]).await;
        assert!(repository(&app).await.erased_at.is_none());
        hand.does(&app, "erase").await;

        let repo = repository(&app).await;
        assert_eq!((repo.erase_at.is_some(), repo.erased_at.is_some()), (true, true));
        let copy = last(&app).await;
        assert_eq!((copy.state, &*copy.code, &*copy.manifest), (BackupState::Lost, "phone_erased", ""));
        let trail = app.audit_trail().await;
        for act in ["phone_erased", "phone_copies_erased"] {
            assert!(trail.iter().any(|line| line.contains(act)), "{act}: {trail:?}");
        }
        app.app.clock.advance_seconds(7_200);
        saga_round(&app.app).await.unwrap();
        assert_eq!(sagas(&app).await, 1, "it is over");
    }

    async fn nothing_of_it_is_left_at_the_node_over_a_real_agent(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 94).await;
        let operation = taken_off::take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]));
        let at = scene.repository().await;
        let at = Path::new(&at);
        assert!(at.join("keys").exists() && at.join("skyrack-key").exists());
        give_up(&app, &clerk, scene.phone).await;
        until("it is erased", async || {
            pass(&app.app).await.unwrap();
            row(&app, scene.phone).await.life == Life::Erased
        })
        .await;
        app.app.clock.advance_seconds(30);
        until("its repository is removed", async || repository(&app).await.erased_at.is_some()).await;
        assert!(!at.exists() && at.parent().unwrap().exists());
    }

    async fn it_begins_anew_after_an_hour_where_nobody_could(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(off(&app, &clerk)).await;
        give_up(&app, &clerk, phone).await;
        assert_eq!(erased(&app).await, 1);
        app.app.clock.advance_seconds(30);
        for wait in [60, 300, 1_800, 0] {
            hand.fails(&app, "erase", "store_unreachable", "neverBegan").await;
            app.app.clock.advance_seconds(wait);
        }
        saga_round(&app.app).await.unwrap();
        assert_eq!(sagas(&app).await, 1, "not at once");
        app.app.clock.advance_seconds(3_600);
        hand.does(&app, "erase").await;
        assert_eq!(sagas(&app).await, 2);
        assert!(repository(&app).await.erased_at.is_some());
    }

    async fn a_phone_that_is_on_its_card_or_whose_copy_is_read_is_not_erased(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(off(&app, &clerk)).await;
        let copy = last(&app).await;
        clerk.post(&format!("{BACKUPS}/{}/verify", copy.id), json!({})).await.data();
        give_up(&app, &clerk, phone).await;
        assert_eq!(erased(&app).await, 0, "somebody reads its copy");
        hand.does(&app, "verify").await;
        // As if it had come on a card again meanwhile.
        let stay = format!("(SELECT MAX(id) FROM placement WHERE phone_id = {phone})");
        let on = format!("UPDATE placement SET role = 2 WHERE id = {stay}");
        by_rule::run(&app, &on).await;
        by_rule::run(&app, &format!("UPDATE phone SET use_type = 1, holds_id = {stay} WHERE id = {phone}")).await;
        assert_eq!(erased(&app).await, 0, "it is on its card");
        assert!(has_keys(&app).await);
        by_rule::run(&app, &format!("UPDATE phone SET use_type = 2, holds_id = NULL WHERE id = {phone}")).await;
        by_rule::run(&app, &format!("UPDATE placement SET role = 3 WHERE id = {stay}")).await;
        assert_eq!(erased(&app).await, 1);
        assert_eq!(backup::Entity::find().one(app.app.db.read()).await.unwrap().unwrap().state, BackupState::Deleting);
    }
}
