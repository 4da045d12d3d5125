//! What is being done to a phone has ended, and an application waits for that phone: it is told, if it hears.

use base::fault::Outcome;
use entity::connect::{self, ConnectState};
use entity::phone;
use entity::saga::{Model as Saga, SagaKind, SagaState};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use wire::Reason;

use super::advance::Desk;
use crate::connect::{Stand, stand};
use crate::news;

impl Desk<'_> {
    /// A put-on or a take-off has ended like that: whoever waits for the phone has it, or waits for nothing.
    pub(super) async fn tell_waiter(&mut self, saga: &Saga, state: SagaState, code: &str) -> Outcome<()> {
        if !matches!(saga.kind, SagaKind::PutOn | SagaKind::TakeOff) {
            return Ok(());
        }
        let waits = connect::Entity::find().filter(connect::Column::PhoneId.eq(saga.phone_id));
        let waits = waits.filter(connect::Column::State.eq(ConnectState::Waiting)).one(&**self.tx).await?;
        let Some(row) = waits else { return Ok(()) };
        let Some(phone) = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await? else { return Ok(()) };
        let why = match stand(&phone, None) {
            Stand::Ready => return Ok(news::ready(self.tx, row.app_id, &phone, self.now).await?),
            Stand::No(why) => why.code(),
            Stand::Off if state == SagaState::Failed && !code.is_empty() => code,
            // Nothing is being done to it any more: it neither comes nor leaves.
            Stand::Off | Stand::Comes | Stand::Leaves => Reason::PhoneOffMachine.code(),
        };
        Ok(news::failed(self.tx, row.app_id, &phone, why, self.now).await?)
    }
}
