//! Which cards were selected for an operation, in words.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;

use super::targets::{Chosen, conditions, yes_no};
use crate::card::store::CardFilter;

const CARDS: Text = text("{n} 张指定的卡", "{n} chosen cards");
const ALL: Text = text("全部安卓卡", "All cards");

/// Reads a selection as it was recorded.
///
/// # Errors
/// When a read fails.
pub async fn of(ctx: &OpCtx, recorded: &str) -> Outcome<Chosen> {
    let named = |count| CARDS.with("n", count).get(ctx.lang());
    Chosen::of::<CardId, CardFilter>(recorded, named, async |filter| words(ctx, filter).await).await
}

async fn words(ctx: &OpCtx, filter: &CardFilter) -> Outcome<String> {
    let lang = ctx.lang();
    let mut parts: Vec<(Text, String)> = Vec::new();
    // A place that has been deleted since is told by its number; a frame or host is told with what it stands in.
    let mut room_id = filter.room_id.map(RoomId);
    let mut frame_id = filter.frame_id.map(FrameId);
    let mut host_name = None;
    if let Some(id) = filter.host_id.map(HostId) {
        let found = host::Entity::find_by_id(id).one(ctx.read()).await?;
        frame_id = frame_id.or(found.as_ref().map(|host| host.frame_id));
        host_name = Some(found.map_or_else(|| format!("#{id}"), |host| host.name));
    }
    let mut frame_name = None;
    if let Some(id) = frame_id {
        let found = frame::Entity::find_by_id(id).one(ctx.read()).await?;
        room_id = room_id.or(found.as_ref().map(|frame| frame.room_id));
        frame_name = Some(found.map_or_else(|| format!("#{id}"), |frame| frame.name));
    }
    let mut room_name = None;
    if let Some(id) = room_id {
        let found = room::Entity::find_by_id(id).one(ctx.read()).await?;
        room_name = Some(found.map_or_else(|| format!("#{id}"), |room| room.name));
    }
    let places =
        [(text("机房", "Room"), room_name), (text("机架", "Frame"), frame_name), (text("主机", "Host"), host_name)];
    parts.extend(places.into_iter().filter_map(|(label, name)| Some((label, name?))));
    let choices = [
        (text("运行状态", "Run status"), filter.run_status.map(|value| value.label())),
        (text("网络状态", "Network"), filter.network_status.map(|value| value.label())),
        (text("生命周期", "Lifecycle"), filter.lifecycle.map(|value| value.label())),
        (text("维护状态", "Maintenance"), filter.maintenance.map(|value| value.label())),
        (text("可分配", "Assignable"), filter.assignable.map(yes_no)),
        (text("允许超分", "Overcommit"), filter.overcommit.map(yes_no)),
        (text("超时未变化", "Overdue"), filter.overdue.map(yes_no)),
    ];
    parts.extend(choices.into_iter().filter_map(|(name, value)| Some((name, value?.get(lang).to_owned()))));
    let texts = [
        (text("厂商", "Manufacturer"), &filter.manufacturer),
        (text("型号", "Model"), &filter.model),
        (text("板卡", "Board"), &filter.board),
        (text("关键字", "Search"), &filter.key_word),
    ];
    parts.extend(texts.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))));
    Ok(conditions(parts, ALL, lang))
}
