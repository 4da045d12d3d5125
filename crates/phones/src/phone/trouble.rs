//! What needs an operator at the phones: cards that are lost while phones are on them, phones that cannot leave their cards or come
//! with their copies, and what phones have left on cards.

use base::attention::Concern;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::phone::DiskState;
use entity::saga::{self, SagaKind};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::filter::PhoneFilter;
use crate::saga::{HELD, SetAside};

const LOST: Text = text("{count} 部云手机的卡已失联", "Phones whose cards are lost: {count}");
const NOBODY: Text = text(
    "用户无法使用；卡恢复后自动继续，否则可用备份恢复",
    "Nobody can use them. They go on when the cards are back, or from their copies",
);
const STAYS: Text = text("{count} 部云手机下机受阻", "Phones that cannot leave their cards: {count}");
const GOES_ON: Text = text(
    "云手机在原卡上继续运行；读不到数据，或卡、代理、存储暂时不可用的，会自动重试",
    "They go on where they are. Where the card could not be read, or card, agent or storage are away, it is tried again by itself",
);
const COMES_NOT: Text =
    text("{count} 部云手机的备份已损坏，上机待处理", "Phones whose backups are damaged, to be decided about: {count}");
const OLDER: Text = text(
    "用户无法使用；可改用较早的完好备份，或取消上机",
    "Nobody can use them. They can come with older backups that are whole, or the put-on be cancelled",
);
const LEFT: Text =
    text("{count} 张卡上遗留的数据待处理", "Cards with what phones have left, to be decided about: {count}");
const NOT_USED: Text = text(
    "能另行备份的自动备份后清除，其余在确认之前不清除；卡不能分配给其他云手机",
    "What can be copied is, by itself, and wiped then; the rest is not before somebody has said so. No phone gets these cards",
);
const LOOK: Text = text("查看并处理", "See and decide");
const OVER: Text = text("{count} 部云手机的数据超出云盘", "Phones that hold more than their disks: {count}");
const NO_INSTALLS: Text = text(
    "平台不再向其安装应用；请扩容云盘，或请用户清理",
    "The platform installs nothing on them. Enlarge the disks, or ask the users to remove data",
);
const NEARLY: Text = text("{count} 部云手机的云盘将满", "Phones whose disks are nearly full: {count}");
const NINE_TENTHS: Text = text("已用 90% 以上，以最近一次备份为准", "Over 90 % are used, by their last backups");
const SEE: Text = text("查看云手机", "See the phones");
const ERRORS: Text =
    text("云手机流程出错，已跳过：{count}", "What is done to phones ends in errors, and is set aside: {count}");
const TRIED_AGAIN: Text = text(
    "其余不受影响；会自动重试，间隔逐渐加长。涉及：{which}",
    "All else goes on. It is tried again by itself, ever less often. It is about: {which}",
);
const READ_LOG: Text = text("错误详情见服务器日志", "The server's log has the errors");

/// As many of the things that are set aside as are named.
const NAMED: usize = 5;

/// Phones of which something waits for a person.
///
/// # Errors
/// When a read fails.
pub async fn held(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let rows: Vec<(SagaKind, i64, Option<UtcTime>)> = saga::Entity::find()
        .select_only()
        .column(saga::Column::Kind)
        .column_as(saga::Column::Id.count(), "n")
        .column_as(saga::Column::EnqueuedAt.min(), "since")
        .filter(Expr::cust(HELD))
        .group_by(saga::Column::Kind)
        .into_tuple()
        .all(ctx.read())
        .await?;
    let lang = ctx.lang();
    let concern = |(kind, count, since): (SagaKind, i64, Option<UtcTime>)| {
        let (key, title, cause) = match kind {
            SagaKind::Lost => ("phonesLost", LOST, NOBODY),
            SagaKind::TakeOff => ("phonesStay", STAYS, GOES_ON),
            SagaKind::PutOn => ("phonesComeNot", COMES_NOT, OLDER),
            // Nothing else waits for a person but what phones have left.
            SagaKind::Clear
            | SagaKind::BackUp
            | SagaKind::Verify
            | SagaKind::Apps
            | SagaKind::Erase
            | SagaKind::Restart => ("phonesLeft", LEFT, NOT_USED),
        };
        Concern {
            key: key.to_owned(),
            urgent: matches!(kind, SagaKind::Lost | SagaKind::PutOn),
            title: title.with("count", count).get(lang),
            cause: cause.get(lang).to_owned(),
            since,
            act: LOOK.get(lang).to_owned(),
            path: "/cloudPhone/list?held=true".to_owned(),
        }
    };
    Ok(rows.into_iter().map(concern).collect())
}

/// Phones that hold nearly as much as was bought, or more.
///
/// # Errors
/// When a read fails.
pub async fn disks(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let lang = ctx.lang();
    let mut found = Vec::new();
    for (key, state, title, cause) in [
        ("phonesDiskOver", DiskState::Over, OVER, NO_INSTALLS),
        ("phonesDiskNearly", DiskState::Nearly, NEARLY, NINE_TENTHS),
    ] {
        let filter = PhoneFilter { disk_state: Some(state), ..PhoneFilter::default() };
        let count = filter.at(ctx.now()).total(ctx.db()).await?;
        if count > 0 {
            found.push(Concern {
                key: key.to_owned(),
                urgent: state == DiskState::Over,
                title: title.with("count", count).get(lang),
                cause: cause.get(lang).to_owned(),
                since: None,
                act: SEE.get(lang).to_owned(),
                path: format!("/cloudPhone/list?diskState={}", state.code()),
            });
        }
    }
    Ok(found)
}

/// What is done to phones and has ended in an error.
pub fn set_aside(ctx: &OpCtx) -> Vec<Concern> {
    let all = ctx.app.part::<SetAside>().all();
    let Some(since) = all.iter().map(|(_, since)| *since).min() else { return Vec::new() };
    let lang = ctx.lang();
    let mut which: Vec<String> = all.iter().take(NAMED).map(|(subject, _)| subject.words().get(lang)).collect();
    if all.len() > NAMED {
        which.push("…".to_owned());
    }
    vec![Concern {
        key: "phonesErrors".to_owned(),
        urgent: true,
        title: ERRORS.with("count", all.len()).get(lang),
        cause: TRIED_AGAIN.with("which", which.join(", ")).get(lang),
        since: Some(since),
        act: READ_LOG.get(lang).to_owned(),
        path: "/cloudPhone/list".to_owned(),
    }]
}
