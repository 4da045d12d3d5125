//! Which phones were selected for an operation, in words.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::{ClientUserId, PhoneId, RoomId, client_user};
use fleet::operation::targets::{Chosen, conditions, yes_no};
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;

use super::filter::PhoneFilter;

const PHONES: Text = text("{n} 台指定的云手机", "{n} chosen phones");
const ALL: Text = text("全部云手机", "All cloud phones");

/// Reads a selection as it was recorded.
///
/// # Errors
/// When a read fails.
pub async fn of(ctx: &OpCtx, recorded: &str) -> Outcome<Chosen> {
    let named = |count| PHONES.with("n", count).get(ctx.lang());
    Chosen::of::<PhoneId, PhoneFilter>(recorded, named, async |filter| words(ctx, filter).await).await
}

async fn words(ctx: &OpCtx, filter: &PhoneFilter) -> Outcome<String> {
    // Every field is named, so that a new filter cannot be forgotten here.
    let PhoneFilter {
        key_word,
        user_id,
        plan,
        board,
        image,
        room_id,
        pool,
        life,
        use_type,
        is_blank,
        held,
        source,
        start_time,
        end_time,
        expires_soon,
        no_backup,
        queued,
        failed,
        disk_state,
    } = filter;
    let lang = ctx.lang();
    // What has been deleted since is told by its number.
    let user = match user_id {
        Some(id) => {
            let found = client_user::Entity::find_by_id(ClientUserId(*id)).one(ctx.read()).await?;
            Some(found.map_or_else(|| format!("#{id}"), |user| user.name))
        }
        None => None,
    };
    let room = match room_id {
        Some(id) => Some(
            fleet::room_names(ctx.read(), [RoomId(*id)])
                .await?
                .remove(&RoomId(*id))
                .unwrap_or_else(|| format!("#{id}")),
        ),
        None => None,
    };
    let of = |label: Text| label.get(lang).to_owned();
    let moment =
        |at: kernel::time::UtcTime| at.to_chrono().with_timezone(&ctx.app.config.zone()).format("%F %T").to_string();
    let parts: [(Text, Option<String>); 19] = [
        (text("用户", "User"), user),
        (text("机房", "Room"), room),
        (text("池", "Pool"), pool.map(|pool| of(pool.label()))),
        (text("套餐", "Plan"), plan.map(|plan| of(plan.label()))),
        (text("板卡", "Board"), board.clone()),
        (text("镜像版本", "Image"), image.clone()),
        (text("状态", "Status"), life.map(|life| of(life.label()))),
        (text("上机状态", "On the machine"), use_type.map(|one| of(one.label()))),
        (text("从未上机", "Never on a card"), is_blank.map(|is_so| of(yes_no(is_so)))),
        (text("待处理", "Waits for a person"), held.map(|is_so| of(yes_no(is_so)))),
        (text("来源", "Source"), source.map(|source| of(source.label()))),
        (text("到期不早于", "Expires from"), start_time.map(moment)),
        (text("到期不晚于", "Expires until"), end_time.map(moment)),
        (text("即将到期", "Expires soon"), expires_soon.map(|soon| of(yes_no(soon)))),
        (text("无备份", "Without a backup"), no_backup.map(|is_so| of(yes_no(is_so)))),
        (text("排队等卡", "Queued for a card"), queued.map(|is_so| of(yes_no(is_so)))),
        (
            text("24 小时内上机或下机失败", "Failed to come or go within 24 hours"),
            failed.map(|is_so| of(yes_no(is_so))),
        ),
        (text("云盘占用", "Disk use"), disk_state.map(|state| of(state.label()))),
        (text("关键字", "Search"), key_word.clone()),
    ];
    Ok(conditions(parts.into_iter().filter_map(|(name, value)| Some((name, value?))), ALL, lang))
}
