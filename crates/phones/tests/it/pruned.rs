//! What was done to phones is not kept for ever.

use entity::saga::{self, SagaKind, SagaState};
use entity::{SagaId, saga_step};
use phones::{PrunedOf, prune_sagas};
use sea_orm::{ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _, QueryOrder as _};
use testapp::TestApp;
use testkit::db_test;

use super::overview::done;
use super::{DAY, make, put_on, world};

async fn run(app: &TestApp, statement: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

/// The kinds of all that is there, oldest first.
async fn kinds(app: &TestApp) -> Vec<SagaKind> {
    let all = saga::Entity::find().order_by_asc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
    all.into_iter().map(|saga| saga.kind).collect()
}

/// How many of these are removed that are older than ninety days.
async fn pruned(app: &TestApp, of: PrunedOf) -> i64 {
    let before = app.app.clock.now().plus_seconds(-90 * DAY);
    let removed = prune_sagas(&app.app, of, before, SagaId(0)).await.unwrap();
    removed.map_or(0, |(removed, _)| removed)
}

db_test! {
    async fn what_ended_long_ago_is_removed_with_its_steps_and_stays_keep_what_began_and_ended_them(db) {
        use SagaKind::{Clear, PutOn, Restart, TakeOff, Verify};
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 300, 1).await;
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        let ago = |days: i64| app.app.clock.now().plus_seconds(-days * DAY);
        for (kind, state, days) in [
            (PutOn, SagaState::Done, 100),
            (Restart, SagaState::Failed, 95),
            (Verify, SagaState::Done, 91),
            (TakeOff, SagaState::Done, 91),
            (Clear, SagaState::Held, 91),
            (Restart, SagaState::Done, 89),
        ] {
            done(&app, (room, ids[0]), kind, (state, ""), ago(days)).await;
        }
        run(&app, "INSERT INTO saga_step (saga_id, name, attempt, card_id, room_id, state, code, reason, not_before, created_at) \
            SELECT saga.id, 7, 1, placement.card_id, saga.room_id, 3, '', '', 0, 0 FROM saga, placement").await;
        assert_eq!((pruned(&app, PrunedOf::Others).await, pruned(&app, PrunedOf::Erased).await), (2, 0));
        assert_eq!(kinds(&app).await, [PutOn, TakeOff, Clear, Restart], "what waits for a person is not over");
        assert_eq!(saga_step::Entity::find().count(app.app.db.read()).await.unwrap(), 4);
        assert_eq!(pruned(&app, PrunedOf::Others).await, 0, "it is safe to run twice");

        // Nothing of it is left once there is no phone.
        run(&app, "UPDATE phone SET life = 5, stays_until = 1").await;
        run(&app, "UPDATE phone SET life = 6, use_type = 2, holds_id = NULL, stays_until = NULL").await;
        assert_eq!(pruned(&app, PrunedOf::Erased).await, 2);
        assert_eq!(kinds(&app).await, [Clear, Restart]);
    }
}
