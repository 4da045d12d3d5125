//! Operations that look into customers' phones or put files there: whoever begins one, or lets it go on, needs the right to phones as
//! well where one is on a card of it. What was fetched is judged once more when it is shown: a phone may have come since.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::operation::{Model, OperationKind};
use entity::placement;
use entity::{card, operation_task as task};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _, QueryTrait as _};

use crate::card::acts::CardSelection;
use crate::card::look::Look;
use crate::card::stay::phones_on;

/// What an operation of a kind does with a phone on its card that this somebody may not; none if he may, or if it does neither.
fn withheld(ctx: &OpCtx, kind: OperationKind) -> Option<Look> {
    let look = if kind == OperationKind::Screenshot {
        Look::Screen
    } else if matches!(kind, OperationKind::Pull | OperationKind::Push) {
        Look::Files
    } else {
        return None;
    };
    (!look.is_allowed(ctx)).then_some(look)
}

/// Refuses to begin one on cards of which any carries a phone to whoever lacks the right to that.
///
/// # Errors
/// The permission is missing, or the database refuses.
pub async fn check_new(ctx: &OpCtx, kind: OperationKind, selection: &CardSelection) -> Outcome<()> {
    let Some(look) = withheld(ctx, kind) else { return Ok(()) };
    let is_there = match selection {
        CardSelection::Ids(ids) => !phones_on(ctx.read(), ids.iter().copied()).await?.is_empty(),
        CardSelection::Filter(filter) => {
            let cards = filter.resolve(&ctx.app).await?.apply(ctx.db().backend(), card::Entity::find());
            is_any_on(ctx, cards.select_only().column(card::Column::Id).into_query()).await?
        }
    };
    if is_there { look.require(ctx).await } else { Ok(()) }
}

/// Refuses to let one go on to whoever lacks the right, if a phone is on any of its cards by now.
///
/// # Errors
/// The permission is missing, or the database refuses.
pub async fn check(ctx: &OpCtx, operation: &Model) -> Outcome<()> {
    let Some(look) = withheld(ctx, operation.kind) else { return Ok(()) };
    let cards = task::Entity::find().select_only().column(task::Column::TargetId);
    let cards = cards.filter(task::Column::OperationId.eq(operation.id));
    if is_any_on(ctx, cards.into_query()).await? { look.require(ctx).await } else { Ok(()) }
}

/// Whether a phone is on one of these cards, or has left something there.
async fn is_any_on(ctx: &OpCtx, cards: SelectStatement) -> Outcome<bool> {
    let stays = placement::Entity::going_on();
    Ok(stays.filter(placement::Column::CardId.in_subquery(cards)).one(ctx.read()).await?.is_some())
}
