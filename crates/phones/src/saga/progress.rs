//! How far sagas are whose step takes long: what agents told last, in memory alone.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use base::http::events::Audience;
use entity::saga_step::{self, StepState};
use entity::{SagaId, SagaStepId, saga};
use fleet::Session;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::json;
use wire::{Book, Progress};

use super::silent::Heard;
use super::told::TOPIC;
use crate::screens::perm;

/// What was told longer ago counts no more, in milliseconds.
const STALE: i64 = 15_000;

/// What agents told last.
#[derive(Debug, Default)]
pub struct Told(Mutex<HashMap<SagaId, (UtcTime, i64)>>);

impl Told {
    /// How far a saga's step is, in hundredths; none if nobody says.
    pub fn percent(&self, saga: SagaId, now: UtcTime) -> Option<i64> {
        self.0.lock().get(&saga).filter(|(at, _)| now.millis() - at.millis() < STALE).map(|(_, percent)| *percent)
    }
}

/// Takes down how far steps are.
///
/// # Errors
/// When the read fails.
pub async fn told(app: &App, session: &Session, tries: &[Progress]) -> Outcome<()> {
    let of_phones: HashMap<SagaStepId, &Progress> =
        tries.iter().filter(|one| one.key.book == Book::Phone).map(|one| (SagaStepId(one.key.task), one)).collect();
    if of_phones.is_empty() {
        return Ok(());
    }
    let steps = saga_step::Entity::find()
        .filter(saga_step::Column::Id.is_in(of_phones.keys().copied()))
        .filter(saga_step::Column::AgentId.eq(session.agent))
        .filter(saga_step::Column::State.eq(StepState::Running))
        .all(app.db.read())
        .await?;
    app.part::<Heard>().note(steps.iter().map(|step| step.id), app.clock.steady());
    let sagas = saga::Entity::find().filter(saga::Column::Id.is_in(steps.iter().map(|step| step.saga_id)));
    let sagas: HashMap<_, _> =
        sagas.all(app.db.read()).await?.into_iter().map(|saga| (saga.id, saga.phone_id)).collect();
    let now = app.clock.now();
    let mut news = Vec::new();
    {
        let mut known = app.part::<Told>().0.lock();
        known.retain(|_, (at, _)| now.millis() - at.millis() < STALE);
        for step in steps {
            let (saga, told) = (step.saga_id, of_phones.get(&step.id));
            // One that waits for its place is of nothing yet.
            let (Some(phone), Some(told)) = (sagas.get(&saga), told.filter(|told| told.total > 0)) else { continue };
            let percent = u128::from(told.done.min(told.total)) * 100 / u128::from(told.total);
            let percent = i64::try_from(percent).unwrap_or(100);
            if known.insert(saga, (now, percent)).is_none_or(|before| before.1 != percent) {
                news.push(*phone);
            }
        }
    }
    for phone in news {
        let audience = Audience { code: Some(perm::PHONE_LIST.code()), operator: None };
        app.events.publish(TOPIC, "phone", &json!({ "id": phone }), audience);
    }
    Ok(())
}
