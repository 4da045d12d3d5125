//! What is being done to a phone has ended: the operations that asked for it are told, and an application that waits for that phone,
//! if it hears.

use base::fault::Outcome;
use entity::operation::{self as asked, OperationKind};
use entity::operation_task::{TaskEffect, TaskStep};
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::{OperationId, phone};
use fleet::operation::{self, Ended};
use sea_orm::EntityTrait as _;
use wire::Reason;

use super::advance::Desk;
use super::waiter::{locking, who_waits};
use crate::connect::{Stand, ended, stand};
use crate::news;

impl Desk<'_> {
    /// A saga has ended like that, with this effect on its phone if it did not succeed: whoever asked for it is told, whoever waits
    /// for the phone, and whoever wanted it back, who has it if that is so.
    pub(super) async fn tell_end(
        &mut self,
        saga: &Saga,
        (state, code): (SagaState, &str),
        effect: Option<TaskEffect>,
        is_back: bool,
    ) -> Outcome<()> {
        self.tell_waiter(saga, state, code).await?;
        if let Some(operation) = saga.back_for_id {
            let (step, code) = if is_back { (TaskStep::Succeeded, "") } else { (TaskStep::Failed, code) };
            self.end_task(operation, saga, (step, code, effect.filter(|_| !is_back))).await?;
        }
        let Some(operation) = saga.operation_id else { return Ok(()) };
        let step = match state {
            SagaState::Done => TaskStep::Succeeded,
            SagaState::Cancelled => TaskStep::Cancelled,
            SagaState::Failed | SagaState::Waiting | SagaState::Running | SagaState::GoingBack | SagaState::Held => {
                TaskStep::Failed
            }
        };
        let effect = match effect {
            // It was taken off for it before, and lives by the chosen copy: what has not come about is that it comes again.
            Some(TaskEffect::NeverBegan) if saga.kind == SagaKind::PutOn && self.sets_back(operation).await? => {
                Some(TaskEffect::Proved)
            }
            other => other,
        };
        self.end_task(operation, saga, (step, code, effect)).await
    }

    /// Whether an operation sets phones back to copies of theirs.
    async fn sets_back(&self, id: OperationId) -> Outcome<bool> {
        let found = asked::Entity::find_by_id(id).one(&**self.tx).await?;
        Ok(found.is_some_and(|found| found.kind == OperationKind::PhoneSetBack))
    }

    async fn end_task(
        &mut self,
        operation: OperationId,
        saga: &Saga,
        (step, code, effect): (TaskStep, &str, Option<TaskEffect>),
    ) -> Outcome<()> {
        let ended = Ended { target: saga.phone_id.0, step, code, effect };
        operation::end_begun(self.tx, operation, &[ended], self.now).await?;
        self.told.operations.push(operation);
        Ok(())
    }

    /// A put-on or a take-off has ended like that: whoever waits for the phone has it, or waits for nothing.
    async fn tell_waiter(&mut self, saga: &Saga, state: SagaState, code: &str) -> Outcome<()> {
        if !matches!(saga.kind, SagaKind::PutOn | SagaKind::TakeOff) {
            return Ok(());
        }
        let Some(row) = who_waits(&**self.tx, saga.phone_id).await? else { return Ok(()) };
        let Some(phone) = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await? else { return Ok(()) };
        // It may be where it was, and not go on there.
        let lost = locking(&**self.tx, phone.id, false).await?.filter(|open| open.kind == SagaKind::Lost);
        let why = match stand(&phone, lost.as_ref()) {
            Stand::Ready => return Ok(news::ready(self.tx, row.app_id, &phone, self.now).await?),
            Stand::No(why) => why.code(),
            Stand::Off if state == SagaState::Failed && !code.is_empty() => ended(code),
            // Nothing is being done to it any more: it neither comes nor leaves.
            Stand::Off | Stand::Comes | Stand::Leaves | Stand::Turns => Reason::PhoneOffMachine.code(),
        };
        Ok(news::failed(self.tx, row.app_id, &phone, why, self.now).await?)
    }
}
