//! What is done to phones, as a test writes it down: no agent has a step of it, and nothing goes on by itself.

use entity::saga::{ActiveModel, Entity, SagaKind};
use entity::saga_step::StepName;
use entity::{PhoneId, RoomId, SagaId};
use kernel::time::UtcTime;
use sea_orm::EntityTrait as _;
use testapp::TestApp;

/// A row as the console writes it for itself: of a phone in a room, under way since then, and holding up nobody. A test changes what
/// it is about.
pub fn row(kind: SagaKind, (phone, room): (i64, i64), step: StepName, at: UtcTime) -> ActiveModel {
    phones::own_saga(kind, PhoneId(phone), (RoomId(room), "RK_3399"), step, at)
}

/// Writes such a row.
pub async fn write(app: &TestApp, row: ActiveModel) -> SagaId {
    let tx = app.app.db.begin_write().await.unwrap();
    let id = Entity::insert(row).exec(&*tx).await.unwrap().last_insert_id;
    tx.commit().await.unwrap();
    id
}
