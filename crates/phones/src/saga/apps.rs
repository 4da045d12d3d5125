//! Installing the packages of a copy on a phone that is on a card, and goes on.

use base::fault::Outcome;
use entity::saga::{self, Model as Saga, SagaKind};
use entity::saga_step::StepName;
use entity::{RoomId, SagaId, backup, phone, placement};
use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, EntityTrait as _};
use wire::copy::AppsBrought;

use super::admit::own;
use super::advance::Desk;
use crate::forbidden::withheld::withhold;

impl Desk<'_> {
    /// Has the packages of a copy installed on a phone by the agents of its card's room. Nothing else is done to the phone
    /// meanwhile.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn bring_apps(
        &mut self,
        copy: &backup::Model,
        phone: &phone::Model,
        (stay, room): (&placement::Model, RoomId),
        by: &str,
    ) -> Outcome<SagaId> {
        let row = saga::ActiveModel {
            locks_phone: Set(true),
            placement_id: Set(Some(stay.id)),
            backup_id: Set(Some(copy.id)),
            created_by: Set(by.to_owned()),
            ..own(SagaKind::Apps, phone.id, (room, phone.plan.board()), StepName::Install, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        self.told.phones.push(phone.id);
        withhold(self.tx, saga.id, copy, phone.plan).await?;
        self.write_step(&saga, StepName::Install, stay.card_id, 0).await?;
        Ok(saga.id)
    }

    /// All of them are there, as the agent says.
    pub(super) async fn brought(&mut self, saga: &Saga, said: &str) -> Outcome<()> {
        let AppsBrought { installed_in_all, present, .. } = serde_json::from_str(said).unwrap_or_default();
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        if let (Some(phone), Some(copy)) = (phone, saga.backup_id) {
            let note = format!("backup {copy}: {installed_in_all} installed, {present} present");
            self.log(saga, &phone, "phone_apps_installed", note);
            self.withholds(saga, &phone).await?;
        }
        self.done(saga).await
    }
}
