//! Which phones were selected for an operation, in words.

use base::fault::{Fault, Outcome};
use base::http::ops::OpCtx;
use base::list::Selection;
use entity::{ClientUserId, RoomId, client_user};
use fleet::operation::targets::Chosen;
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;

use super::acts::PhoneSelection;
use super::store::PhoneFilter;

const PHONES: Text = text("{n} 台指定的云手机", "{n} chosen phones");
const ALL: Text = text("全部云手机", "All cloud phones");
const YES: Text = text("是", "yes");
const NO: Text = text("否", "no");

/// Reads a selection as it was recorded.
///
/// # Errors
/// When a read fails.
pub async fn of(ctx: &OpCtx, recorded: &str) -> Outcome<Chosen> {
    let lang = ctx.lang();
    match serde_json::from_str::<PhoneSelection>(recorded) {
        Ok(Selection::Ids(ids)) => Ok(Chosen { words: PHONES.with("n", ids.len()).get(lang), filter: None }),
        Ok(Selection::Filter(filter)) => {
            let told = serde_json::to_value(&filter).map_err(|error| Fault::Internal(error.into()))?;
            Ok(Chosen { words: words(ctx, &filter).await?, filter: Some(told) })
        }
        Err(_) => Ok(Chosen { words: String::new(), filter: None }),
    }
}

async fn words(ctx: &OpCtx, filter: &PhoneFilter) -> Outcome<String> {
    // Every field is named, so that a new filter cannot be forgotten here.
    let PhoneFilter {
        key_word,
        user_id,
        plan,
        board,
        room_id,
        life,
        use_type,
        source,
        start_time,
        end_time,
        expires_soon,
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
    let parts: [(Text, Option<String>); 11] = [
        (text("用户", "User"), user),
        (text("机房", "Room"), room),
        (text("套餐", "Plan"), plan.map(|plan| of(plan.label()))),
        (text("板卡", "Board"), board.clone()),
        (text("状态", "Status"), life.map(|life| of(life.label()))),
        (text("上机状态", "On the machine"), use_type.map(|one| of(one.label()))),
        (text("来源", "Source"), source.map(|source| of(source.label()))),
        (text("到期不早于", "Expires from"), start_time.map(moment)),
        (text("到期不晚于", "Expires until"), end_time.map(moment)),
        (text("即将到期", "Expires soon"), expires_soon.map(|soon| of(if soon { YES } else { NO }))),
        (text("关键字", "Search"), key_word.clone()),
    ];
    let said: Vec<String> =
        parts.into_iter().filter_map(|(label, value)| Some(format!("{} {}", label.get(lang), value?))).collect();
    Ok(if said.is_empty() { ALL.get(lang).to_owned() } else { said.join(" · ") })
}
