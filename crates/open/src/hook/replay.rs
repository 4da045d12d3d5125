//! A person has events sent again.

use base::list::Selection;
use base::prelude::*;
use entity::webhook_delivery::{ActiveModel, Column as By, DeliveryState, Entity, Model};
use entity::{DeliveryId, webhook};
use sea_orm::{ConnectionTrait, QueryOrder as _, QuerySelect as _, Select};
use serde::Serialize;

use super::list::OpenDeliveryFilter;
use super::queue::{About, follow, moved};

/// Rows changed in one transaction; more are changed in steps, each with its line in the operation log.
const STEP: u64 = 500;

/// Some events.
pub type OpenDeliverySelection = Selection<DeliveryId, OpenDeliveryFilter>;

/// Which events are sent again.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenReplayInput {
    /// Those that wait for a person or were delivered, which are tried anew as if they had just happened, and those that wait for
    /// their next try, which is now.
    pub selection: OpenDeliverySelection,
}

impl Validate for OpenReplayInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
    }
}

/// What is sent again.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenReplayed {
    /// How many events. Those of applications that are not told just now are not among them.
    pub sent: u64,
}

/// The next rows after `after` up to `newest`, in the order in which they came to be.
async fn next(
    db: &impl ConnectionTrait,
    which: Select<Entity>,
    after: DeliveryId,
    newest: DeliveryId,
) -> Outcome<Vec<Model>> {
    let told = webhook::Entity::find().select_only().column(webhook::Column::AppId);
    let told = told.filter(webhook::Column::IsEnabled.eq(true)).into_query();
    let rows = which.filter(By::Id.gt(after)).filter(By::Id.lte(newest)).filter(By::AppId.in_subquery(told));
    Ok(rows.order_by_asc(By::Id).limit(STEP).all(db).await?)
}

async fn replay(ctx: &OpCtx, selection: OpenDeliverySelection) -> Outcome<u64> {
    let which = match &selection {
        Selection::Ids(ids) => Entity::find().filter(By::Id.is_in(ids.iter().copied())),
        Selection::Filter(filter) => filter.apply(ctx.db().backend(), Entity::find()),
    };
    // What happens meanwhile is none of it.
    let newest = Entity::find().select_only().column(By::Id).order_by_desc(By::Id).into_tuple::<DeliveryId>();
    let Some(newest) = newest.one(ctx.read()).await? else { return Ok(0) };
    let (mut sent, mut after) = (0, DeliveryId(0));
    loop {
        let mut tx = ctx.begin_write().await?;
        let rows = next(&*tx, which.clone(), after, newest).await?;
        let Some(last) = rows.last() else { return Ok(sent) };
        after = last.id;
        // One that is on its way stays so: as often as it was tried, it is tried no more often.
        let again: Vec<&Model> = rows.iter().filter(|row| row.state != DeliveryState::Pending).collect();
        let change = ActiveModel {
            state: Set(DeliveryState::Pending),
            tries: Set(0),
            next_at: Set(None),
            delivered_at: Set(None),
            ..Default::default()
        };
        let these = again.iter().map(|row| row.id);
        Entity::update_many().set(change).filter(By::Id.is_in(these)).exec(&*tx).await?;
        for row in &again {
            moved(tx.inner(), row, DeliveryState::Pending);
        }
        let waits = rows.iter().filter(|row| row.state == DeliveryState::Pending && row.next_at.is_some());
        let waits: Vec<DeliveryId> = waits.map(|row| row.id).collect();
        let now = ActiveModel { next_at: Set(Some(ctx.now())), ..Default::default() };
        Entity::update_many().set(now).filter(By::Id.is_in(waits)).exec(&*tx).await?;
        let about: Vec<About> = rows.iter().map(|row| (row.app_id, row.object.clone())).collect();
        follow(tx.inner(), &about, ctx.now()).await?;
        sent += rows.len() as u64;
        let audit = Audit::each("openDelivery", rows.iter().map(|row| (row.id.0, row.subject.as_str())));
        tx.commit(audit.note(format!("{} rows", rows.len()))).await?;
    }
}

/// Has events sent again: those that wait for a person, those that were delivered, and at once those that wait for their next try.
/// Each keeps its id.
#[utoipa::path(post, path = "/api/platform/v1/open-deliveries/replay", tag = "openApp", request_body = OpenReplayInput,
    responses((status = 200, body = Reply<OpenReplayed>)))]
pub async fn open_delivery_replay(ctx: OpCtx, Valid(input): Valid<OpenReplayInput>) -> ApiResult<OpenReplayed> {
    reply(OpenReplayed { sent: replay(&ctx, input.selection).await? })
}
