//! What the demo company's room staff does when its rooms have just come alive: operations that really run at the
//! simulated cards, with the failures that broken cards make, and one that goes on for a while.

use base::app::App;
use entity::operation::{OperationKind, Target};
use entity::{FrameId, OperatorId, frame, operation, operator, room};
use http::Method;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};

use super::acts::Caller;
use super::company::ROOM_STAFF_NAME;
use super::room::{Site, of};

const OPERATIONS: &str = "/api/operation/v1/operations";

/// Begins the work of a whole company, once: not where operations on cards are recorded already, nor without the rooms' staff.
///
/// # Errors
/// When the server refuses a call.
pub async fn begin(app: &App, alive: &[&Site]) -> anyhow::Result<()> {
    let on_cards = OperationKind::ALL.iter().copied().filter(|kind| kind.target() == Target::Card);
    let begun = operation::Entity::find().filter(operation::Column::Kind.is_in(on_cards));
    if begun.one(app.db.read()).await?.is_some() {
        return Ok(());
    }
    let Some(staff) = staff(app).await? else { return Ok(()) };
    let mut rooms = Vec::new();
    for site in alive.iter().filter(|site| site.is_settled()) {
        if let Some(room) = of(app, site).await? {
            rooms.push((frames(app, &room).await?, room));
        }
    }
    let [(first, hangzhou), (second, chengdu), (_, guangzhou)] = rooms.as_slice() else { return Ok(()) };
    let caller = Caller::sign_in(app, staff).await?;
    let start = async |filter: Value, act: Value, options: Value| -> anyhow::Result<Value> {
        let body = json!({ "selection": { "filter": filter }, "act": act, "options": options });
        Ok(caller.call(Method::POST, OPERATIONS, body).await?["id"].take())
    };
    let zone = json!({ "kind": "setProperty", "name": "persist.sys.timezone", "value": "Asia/Shanghai" });
    start(
        json!({ "roomId": hangzhou.id }),
        zone,
        json!({ "force": true, "reason": "统一时区，工单 2231", "seconds": 20 }),
    )
    .await?;
    if let Some(frame) = second.first() {
        let options = json!({ "force": true, "reason": "每周例行重启", "seconds": 60 });
        start(json!({ "frameId": frame }), json!({ "kind": "reboot" }), options).await?;
    }
    start(json!({ "roomId": guangzhou.id }), json!({ "kind": "screenshot" }), json!({})).await?;
    let script = json!({ "kind": "shell", "script": "df /data" });
    start(json!({ "roomId": chengdu.id }), script, json!({ "force": true, "reason": "核对剩余空间", "seconds": 20 }))
        .await?;
    if let Some(frame) = first.first() {
        let later = app.clock.now().plus_seconds(6 * 3600);
        let options = json!({ "force": true, "reason": "夜间断电演练", "notBefore": later });
        let id = start(json!({ "frameId": frame }), json!({ "kind": "powerCycle" }), options).await?;
        caller.call(Method::POST, &format!("{OPERATIONS}/{id}/cancel"), json!({})).await?;
    }
    if let Some(frame) = first.get(1) {
        // One card after the other: about a quarter of an hour.
        let options = json!({ "force": true, "reason": "系统更新后逐台重启", "perRoom": 1, "seconds": 60 });
        start(json!({ "frameId": frame }), json!({ "kind": "reboot" }), options).await?;
    }
    caller.sign_out().await
}

async fn staff(app: &App) -> anyhow::Result<Option<OperatorId>> {
    let found = operator::Entity::find().filter(operator::Column::Username.eq(ROOM_STAFF_NAME)).one(app.db.read());
    Ok(found.await?.map(|row| row.id))
}

async fn frames(app: &App, room: &room::Model) -> anyhow::Result<Vec<FrameId>> {
    let rows = frame::Entity::find().filter(frame::Column::RoomId.eq(room.id)).order_by_asc(frame::Column::Name);
    Ok(rows.all(app.db.read()).await?.into_iter().map(|row| row.id).collect())
}
