//! What needs an operator: applications that have not taken what they were told.

use base::attention::{Concern, MOST};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::outbox::{DELIVERIES, app_of, parts};
use db::kept::{self, Cells};
use entity::webhook_delivery::{Column, DeliveryState, Entity};
use entity::{OpenAppId, open_app};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

const STUCK: Text =
    text("应用“{name}”有 {count} 条推送待人工", "Application {name}: events that it has not taken: {count}");
const NOT_TOLD: Text = text("多次推送未成功，请查明原因后重新推送", "Find out why, then send them again");
const SEND: Text = text("查看推送", "See deliveries");

/// Applications for which something waits for a person.
///
/// # Errors
/// When a read fails.
pub async fn stuck(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let db = ctx.read();
    let mut counts: Vec<(OpenAppId, u64)> = Vec::new();
    for (cell, count) in
        kept::cells(db, DELIVERIES.list, Cells::With(&parts(None, None, Some(DeliveryState::Stuck)))).await?
    {
        let app = app_of(cell);
        match counts.iter_mut().find(|(one, _)| *one == app) {
            Some((_, all)) => *all += count,
            None => counts.push((app, count)),
        }
    }
    let lang = ctx.lang();
    let mut found = Vec::new();
    for (id, count) in counts.into_iter().take(MOST) {
        // What waits for one that was deleted goes by its age.
        let Some(app) = open_app::Entity::find_by_id(id).one(db).await? else { continue };
        let first = Entity::find().select_only().column(Column::CreatedAt).filter(Column::AppId.eq(id));
        let first = first.filter(Column::State.eq(DeliveryState::Stuck)).order_by_asc(Column::Id).limit(1);
        let since: Option<UtcTime> = first.into_tuple().one(db).await?;
        found.push(Concern {
            key: format!("openHook-{id}"),
            urgent: false,
            title: STUCK.with("name", &app.name).with("count", count).get(lang),
            cause: NOT_TOLD.get(lang).to_owned(),
            since,
            act: SEND.get(lang).to_owned(),
            path: format!("/platform/thirdParty?tab=deliveries&appId={id}&state={}", DeliveryState::Stuck.code()),
        });
    }
    Ok(found)
}
