//! Phones as targets of operations.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx};
use base::http::{Case, Need};
use base::list::{Selection, next_of};
use db::WriteTx;
use db::journal::Entry;
use entity::operation::{Model as Operation, OperationKind, Target};
use entity::operation_task::TaskStep;
use entity::phone::{Column, Entity, Model};
use entity::{ClientUserId, PhoneId};
use fleet::operation::targets::{Applied, Chosen, Class, Judged, Piece, Targets, Wanted};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::Deserialize;
use wire::Reason;

use super::acts::PhoneSelection;
use super::known::{Known, closed};
use super::store::next as next_rows;
use super::wish::Act;
use super::{act, chosen, store};
use crate::saga::{self, Asked, Desk, Onward};
use crate::screens::perm;
use crate::session::used::in_use;
use crate::settings::PhoneLife;

/// Phones named in one statement.
const NAMED: usize = 500;
/// So few phones have an entry each in the operation log, with all that was changed; of more it has what matters.
const FEW: usize = 50;

/// How each is begun: its name in the operation log, and its permission.
const CASES: [(OperationKind, &str, Need); 17] = [
    (OperationKind::PhoneRenew, "phone_renew", perm::PHONE_RENEW),
    (OperationKind::PhonePlan, "phone_change_plan", perm::PHONE_CHANGE_PLAN),
    (OperationKind::PhoneFreeze, "phone_freeze", perm::PHONE_FREEZE),
    (OperationKind::PhoneThaw, "phone_thaw", perm::PHONE_THAW),
    (OperationKind::PhoneRelease, "phone_release", perm::PHONE_RELEASE),
    (OperationKind::PhoneRestore, "phone_restore", perm::PHONE_RESTORE),
    (OperationKind::PhonePutOn, "phone_put_on", perm::PHONE_PUT_ON),
    (OperationKind::PhoneFromBackup, "backup_restore", perm::BACKUP_RESTORE),
    (OperationKind::PhoneTakeOff, "phone_take_off", perm::PHONE_TAKE_OFF),
    (OperationKind::PhoneRestart, "phone_restart", perm::PHONE_RESTART),
    (OperationKind::PhoneBackUp, "phone_back_up", perm::BACKUP_RUN),
    (OperationKind::PhoneAcceptCopy, "phone_accept_copy", perm::PHONE_ACCEPT_COPY),
    (OperationKind::PhoneGiveUp, "phone_give_up", perm::PHONE_GIVE_UP),
    (OperationKind::PhoneOpenElsewhere, "phone_open_elsewhere", perm::PHONE_OPEN_ELSEWHERE),
    (OperationKind::PhoneWipeLeft, "phone_wipe_left", perm::PHONE_WIPE_LEFT),
    (OperationKind::PhoneGoOn, "phone_go_on", perm::PHONE_RETRY),
    (OperationKind::PhoneSetBack, "backup_set_back", perm::BACKUP_RESTORE),
];
const DAYS: Text = text("{n} 天", "{n} days");
const BACKUP: Text = text("备份 {id}", "Backup {id}");
const AT_ONCE: Text = text("立即，不提醒使用者", "At once, without a warning");
const ALSO_SHRUNK: Text = text("并确认数据明显减少的备份", "Copies with far less are accepted");
const TO_ROOM: Text = text("到 {room}", "To {room}");

/// Phones.
pub struct PhoneTargets;

impl Targets for PhoneTargets {
    fn target(&self) -> Target {
        Target::Phone
    }

    fn case(&self, kind: OperationKind) -> Case {
        let Some((_, action, Need::Code(code))) = CASES.iter().find(|(one, ..)| *one == kind) else {
            unreachable!("only acts on phones are asked for, and each has a code")
        };
        Case { action, code, sample: "" }
    }

    fn also(&self, act: &str) -> Vec<&'static str> {
        let Ok(Act::GoOn { accept_shrunk, take_off }) = serde_json::from_str(act) else { return Vec::new() };
        Onward { accept_shrunk, take_off }.rights().map(Need::code).collect()
    }

    fn detail(&self, act: &str, lang: Lang) -> String {
        match serde_json::from_str(act) {
            Ok(Act::Renew { days }) => DAYS.with("n", days).get(lang),
            Ok(Act::ChangePlan { plan }) => plan.label().get(lang).to_owned(),
            Ok(Act::FromBackup { backup_id } | Act::SetBack { backup_id, .. }) => {
                BACKUP.with("id", backup_id).get(lang)
            }
            Ok(Act::TakeOff { now: true }) => AT_ONCE.get(lang).to_owned(),
            Ok(Act::GoOn { accept_shrunk: true, .. }) => ALSO_SHRUNK.get(lang).to_owned(),
            Ok(Act::OpenElsewhere { name, .. }) => TO_ROOM.with("room", name).get(lang),
            Ok(
                Act::Freeze
                | Act::Thaw
                | Act::Release
                | Act::Restore
                | Act::PutOn
                | Act::TakeOff { now: false }
                | Act::Restart
                | Act::BackUp
                | Act::AcceptCopy { .. }
                | Act::GiveUp
                | Act::WipeLeft
                | Act::GoOn { accept_shrunk: false, .. },
            )
            | Err(_) => String::new(),
        }
    }

    fn chosen<'a>(&'a self, ctx: &'a OpCtx, selection: &'a str) -> BoxFuture<'a, Outcome<Chosen>> {
        chosen::of(ctx, selection).boxed()
    }

    fn next<'a>(&'a self, app: &'a App, wanted: Wanted<'a>, after: i64, limit: usize) -> BoxFuture<'a, Outcome<Piece>> {
        next(app, wanted, PhoneId(after), limit).boxed()
    }

    fn refusal(&self, _: OperationKind) -> Option<Reason> {
        None
    }

    fn apply<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut WriteTx,
        operation: &'a Operation,
        ids: &'a [i64],
        now: UtcTime,
    ) -> BoxFuture<'a, Outcome<Applied>> {
        apply(app, tx, operation, ids, now).boxed()
    }
}

fn stored<T: for<'de> Deserialize<'de>>(text: &str) -> Outcome<T> {
    serde_json::from_str(text).map_err(|error| Fault::Internal(error.into()))
}

async fn next(app: &App, wanted: Wanted<'_>, after: PhoneId, limit: usize) -> Outcome<Piece> {
    let act: Act = stored(wanted.act.unwrap_or_default())?;
    let selection: PhoneSelection = stored(wanted.selection)?;
    let (rules, now) = (app.settings.get::<PhoneLife>(app).await?, app.clock.now());
    let (rows, after, is_last) = match selection {
        Selection::Ids(ids) => {
            let (wanted, is_last) = next_of(ids, after, limit);
            let mut rows = Vec::with_capacity(wanted.len());
            for chunk in wanted.chunks(NAMED) {
                let select = Entity::find().filter(Column::Id.is_in(chunk.iter().copied()));
                rows.extend(select.order_by_asc(Column::Id).all(app.db.read()).await?);
            }
            (rows, wanted.last().copied().unwrap_or(after), is_last)
        }
        Selection::Filter(filter) => {
            let which = filter.at(now).apply_by_id(app.db.backend(), Entity::find());
            let rows = next_rows(app.db.read(), which, after, limit as u64).await?;
            let (is_last, after) = (rows.len() < limit, rows.last().map_or(after, |row| row.id));
            (rows, after, is_last)
        }
    };
    let rule = act.rule("");
    let closed = match &rule {
        Some(rule) => closed(app.db.read(), rule, &rows).await?,
        None => HashSet::new(),
    };
    let known = Known::of(app, app.db.read(), &act, &rows).await?;
    let mut used = HashMap::new();
    if matches!(act, Act::TakeOff { .. }) {
        used = in_use(app.db.read(), &rows.iter().map(|row| row.id).collect::<Vec<_>>()).await?;
    }
    let waits = |row: &Model| Class { hits_user: used.contains_key(&row.id), ..Class::WAITS };
    let class = |row: &Model| match &rule {
        Some(rule) => {
            let turned = turned(row, rule, (&known.busy, &closed), (now, &rules));
            turned.map_or_else(Class::skipped, |_| Class::WAITS)
        }
        None => known.begins(&act, row).map_or_else(Class::skipped, |()| waits(row)),
    };
    let judged = |row: &Model| Judged {
        id: row.id.0,
        room_id: row.room_id,
        frame_id: None,
        host_id: None,
        name: row.code.clone(),
        class: class(row),
    };
    Ok(Piece { targets: rows.iter().map(judged).collect(), after: after.0, is_last })
}

/// A phone after an act. The card that it comes on just now, or waits for, is of the board that it has: it does not change that.
/// Whoever has closed the account has none back.
fn turned(
    row: &Model,
    act: &act::Act,
    (busy, closed): (&HashSet<PhoneId>, &HashSet<ClientUserId>),
    (now, rules): (UtcTime, &PhoneLife),
) -> Result<Model, Reason> {
    if closed.contains(&row.user_id) {
        return Err(Reason::PhoneUserGone);
    }
    let turned = act::turn(row, act, now, rules)?;
    let is_other = turned.plan.board() != row.plan.board();
    if is_other && busy.contains(&row.id) { Err(Reason::PhoneUnderWay) } else { Ok(turned) }
}

/// Phones that have become something else since they were selected stay as they are, and fail: they can be tried again.
async fn apply(app: &App, tx: &mut WriteTx, operation: &Operation, ids: &[i64], now: UtcTime) -> Outcome<Applied> {
    let rule = stored::<Act>(&operation.act)?.rule(&operation.reason);
    let Some(rule) = rule else { return begin(app, tx, operation, ids).await };
    let rules = app.settings.get::<PhoneLife>(app).await?;
    let rows = Entity::find()
        .filter(Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(Column::Id)
        .lock_exclusive()
        .all(&**tx)
        .await?;
    let there: HashSet<i64> = rows.iter().map(|row| row.id.0).collect();
    let gone = ids.iter().filter(|id| !there.contains(id));
    let mut left: HashMap<i64, _> = gone.map(|id| (*id, (TaskStep::Failed, Reason::PhoneGone))).collect();
    let mut changes = Vec::with_capacity(rows.len());
    let (busy, closed) = (saga::busy(&**tx, &rows).await?, closed(&**tx, &rule, &rows).await?);
    for row in rows {
        match turned(&row, &rule, (&busy, &closed), (now, &rules)) {
            Ok(turned) => changes.push((row, turned)),
            Err(why) => _ = left.insert(row.id.0, (TaskStep::Failed, why)),
        }
    }
    store::write(tx, &changes).await?;
    Ok(Applied { left, entries: entries(operation, &changes, now), ..Applied::default() })
}

/// What takes steps is begun with each phone; their tasks end when it does.
async fn begin(app: &App, tx: &mut WriteTx, operation: &Operation, ids: &[i64]) -> Outcome<Applied> {
    let act: Act = stored(&operation.act)?;
    let rows = Entity::find()
        .filter(Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(Column::Id)
        .lock_exclusive()
        .all(&**tx)
        .await?;
    let known = Known::of(app, &**tx, &act, &rows).await?;
    let mut left: HashMap<i64, _> = ids.iter().map(|id| (*id, (TaskStep::Failed, Reason::PhoneGone))).collect();
    let mut fit = Vec::with_capacity(rows.len());
    for row in rows {
        match known.begins(&act, &row) {
            Ok(()) => {
                left.remove(&row.id.0);
                fit.push(row);
            }
            Err(why) => _ = left.insert(row.id.0, (TaskStep::Failed, why)),
        }
    }
    let mut desk = Desk::new(app, tx);
    let asked = Asked { operation: Some(operation.id), by: &operation.created_by, at: desk.now };
    let mut begun: HashSet<i64> = fit.iter().map(|row| row.id.0).collect();
    for row in fit.extract_if(.., |row| known.leaving.contains(&row.id)) {
        // Its take-off has ended meanwhile, and it stayed.
        if !desk.wants_back(&row, &asked).await? {
            begun.remove(&row.id.0);
            left.insert(row.id.0, (TaskStep::Failed, Reason::AlreadySo));
        }
    }
    for row in fit.iter().filter(|row| known.give_way.contains(&row.id)) {
        desk.gives_way(row).await?;
    }
    let copy = known.copy.map(|(copy, _)| copy.id);
    if matches!(act, Act::PutOn | Act::FromBackup { .. }) {
        asked.queue(desk.tx, &fit, copy).await?;
    }
    for row in &fit {
        let done = match &act {
            Act::Restart => desk.restart(row, &asked).await.map(|()| Ok(true)),
            Act::BackUp => desk.back_up(row, &asked).await.map(|()| Ok(true)),
            Act::TakeOff { now } => desk.take_off(row, &asked, *now).await.map(|()| Ok(true)),
            Act::SetBack { now, .. } => match known.back.as_ref().map(|back| back.copy(row.id)) {
                Some(Ok(copy)) => desk.set_back(row, copy, (&asked, *now), &operation.reason).await.map(Ok),
                Some(Err(why)) => Ok(Err(why)),
                None => Ok(Err(Reason::CopyUnfit)),
            },
            Act::AcceptCopy { .. } => desk.accept_copy(row, &asked, operation.into()).await,
            Act::GiveUp => desk.give_up_lost(row, operation).await.map(|done| done.map(|()| false)),
            Act::WipeLeft => desk.wipe_left(row, operation).await.map(|done| done.map(|()| false)),
            Act::GoOn { accept_shrunk, take_off } => {
                let onward = Onward { accept_shrunk: *accept_shrunk, take_off: *take_off };
                desk.goes_onward(row, onward, operation).await.map(|done| done.map(|()| false))
            }
            Act::OpenElsewhere { room_id, .. } => {
                desk.open_elsewhere(row, *room_id, operation).await.map(|done| done.map(|()| false))
            }
            // They wait in the queue by now; the others follow a rule.
            Act::PutOn
            | Act::FromBackup { .. }
            | Act::Renew { .. }
            | Act::ChangePlan { .. }
            | Act::Freeze
            | Act::Thaw
            | Act::Release
            | Act::Restore => Ok(Ok(true)),
        };
        match done? {
            Ok(true) => {}
            // That was all.
            Ok(false) => _ = begun.remove(&row.id.0),
            Err(why) => {
                begun.remove(&row.id.0);
                left.insert(row.id.0, (TaskStep::Failed, why));
            }
        }
    }
    let told = std::mem::take(&mut desk.told);
    Ok(Applied { begun, left, committed: Some(Box::new(move |app| told.tell(app))), ..Applied::default() })
}

/// What the log says of some changed phones: it is in the history of each.
fn entries(operation: &Operation, changes: &[(Model, Model)], now: UtcTime) -> Vec<Entry> {
    let head = || Entry {
        at: now,
        operator_id: Some(operation.created_by_id.0),
        operator_name: operation.created_by.clone(),
        action: PhoneTargets.case(operation.kind).action.to_owned(),
        ..Entry::default()
    };
    if changes.is_empty() {
        return Vec::new();
    }
    if changes.len() <= FEW {
        let one = |(before, after): &(Model, Model)| {
            let audit = Audit::of("phone").id(after.id).name(&after.code);
            audit.before(before).after(after).note(operation.reason.clone()).fill(head())
        };
        return changes.iter().map(one).collect();
    }
    let facts = |row: &Model| (row.id, row.life, row.plan, row.expires_at);
    let before: Vec<_> = changes.iter().map(|(before, _)| facts(before)).collect();
    let after: Vec<_> = changes.iter().map(|(_, after)| facts(after)).collect();
    let audit = Audit::each("phone", changes.iter().map(|(_, after)| (after.id.0, &after.code)));
    vec![audit.before(&before).after(&after).note(operation.reason.clone()).fill(head())]
}
