//! What time does to phones: they expire, are released and are erased.

use base::app::App;
use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use db::sql;
use entity::phone::{Column, Entity, Life, UseType};
use entity::phone_session::SessionEnd;
use entity::{ClientUserId, PhoneId, repo};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError, Outcome as Done};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QuerySelect as _, QueryTrait as _, Select,
};
use serde::{Deserialize, Serialize};
use wire::Reason;

use super::act::{Act, turn};
use super::store;
use crate::connect::over;
use crate::rule;
use crate::saga::{self, Desk};
use crate::session::book;
use crate::settings::PhoneLife;

/// Closed accounts whose phones are looked for at once.
const ACCOUNTS: u64 = 500;
/// Rows changed in one transaction.
const STEP: u64 = 1000;
/// Phones that are erased in one transaction: each may have many copies.
const ERASED: u64 = 50;
const DAY: i64 = 86_400;

/// Moves phones whose time is up. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExpirePhones {}

impl Job for ExpirePhones {
    type State = App;
    const KIND: &'static str = "phone.expire";

    fn title(&self) -> Message {
        text("处理到期的云手机", "Handle phones whose time is up").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Done, JobError> {
        let Passed { expired, released, erased } = pass(ctx.state()).await?;
        let told = text(
            "到期 {expired}，释放 {released}，清除 {erased}",
            "Expired {expired}, released {released}, erased {erased}",
        );
        Ok(Done::done().say(told.with("expired", expired).with("released", released).with("erased", erased)))
    }
}

/// How many phones time has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    pub expired: u64,
    pub released: u64,
    pub erased: u64,
}

/// Moves the phones whose time is up now.
///
/// # Errors
/// When the database refuses; the steps that were committed stay.
pub async fn pass(app: &App) -> Outcome<Passed> {
    let rules = app.settings.get::<PhoneLife>(app).await?;
    let now = app.clock.now();
    let due = |life: Life| Entity::find().filter(Column::Life.eq(life));
    let over =
        Entity::find().filter(Column::Life.is_in([Life::Active, Life::Frozen])).filter(Column::ExpiresAt.lte(now));
    // For how long one is kept is a rule, which may be another for each; the fewest days leave out most by the index.
    let least = rule::least_grace(app.db.read()).await?;
    let is_over = format!("phone.expires_at + {} * {} <= {}", rule::grace(), DAY * 1000, now.millis());
    // Phones on the machine are taken off first.
    let given_up = due(Life::Expired)
        .filter(Column::UseType.eq(UseType::Off))
        .filter(Column::ExpiresAt.lte(now.plus_seconds(-least * DAY)))
        .filter(Expr::cust(is_over));
    let copied = repo::Entity::find().select_only().column(repo::Column::PhoneId).into_query();
    // One that is on its card and has copies leaves it by rule first. Those to which something is being done wait for its end, and so
    // do those whose copies somebody reads.
    let gone = due(Life::Released)
        .filter(Column::StaysUntil.lte(now))
        .filter(Column::UseType.eq(UseType::Off).or(Column::Id.not_in_subquery(copied)))
        .filter(Column::Id.not_in_subquery(saga::occupied_phones()))
        .filter(Expr::cust(saga::NOT_READ))
        .filter(Expr::cust(saga::IS_NOT_BEHIND));
    let expired = each(app, over, (&Act::Expire, "phone_expired"), &rules, now).await?;
    let released = each(app, given_up, (&Act::Release, "phone_released"), &rules, now).await?;
    let of_closed = release_closed(app, &rules, now).await?;
    let erased = each(app, gone, (&Act::Erase, "phone_erased"), &rules, now).await?;
    Ok(Passed { expired, released: released + of_closed, erased })
}

/// Who has closed the account has no phones: they are released as any that is given up, and erased after their stay. An account that
/// is closed is found here whenever that was, so nobody has to be told of it.
async fn release_closed(app: &App, rules: &PhoneLife, now: UtcTime) -> Outcome<u64> {
    let living = [Life::Active, Life::Frozen, Life::Expired].map(Life::code);
    let (mut released, mut after) = (0, ClientUserId(0));
    loop {
        let accounts = customers::closed_with_phones(app.db.read(), after, ACCOUNTS).await?;
        let Some(last) = accounts.last() else { return Ok(released) };
        after = *last;
        // They have few phones, and nearly all phones live.
        let is_living = sql::unindexed(app.db.backend(), Column::Life).is_in(living);
        let which = Entity::find().filter(Column::UserId.is_in(accounts)).filter(is_living);
        released += each(app, which, (&Act::Release, "phone_account_closed"), rules, now).await?;
    }
}

/// Does that to each of them; the operation log calls it by that name.
async fn each(
    app: &App,
    which: Select<Entity>,
    (act, name): (&Act, &str),
    rules: &PhoneLife,
    now: UtcTime,
) -> Outcome<u64> {
    let (mut changed, mut after) = (0, PhoneId(0));
    loop {
        // Most minutes nothing is due: that is seen without the lane of writers.
        let waiting = which.clone().filter(Column::Id.gt(after)).limit(1).one(app.db.read()).await?;
        if waiting.is_none() {
            return Ok(changed);
        }
        let mut tx = app.db.begin_write().await?;
        let step = if *act == Act::Erase { ERASED } else { STEP };
        let rows = store::next(&*tx, which.clone(), after, step).await?;
        let Some(last) = rows.last() else { return Ok(changed) };
        after = last.id;
        let turned = rows.into_iter().filter_map(|row| turn(&row, act, now, rules).ok().map(|turned| (row, turned)));
        let changes: Vec<_> = turned.collect();
        if changes.is_empty() {
            continue;
        }
        store::write(&mut tx, &changes).await?;
        let gone = changes.iter().filter(|(_, after)| after.life == Life::Erased);
        rule::forget(&*tx, &gone.map(|(_, after)| after.id).collect::<Vec<_>>()).await?;
        // Nobody is at one any more that was on its card still, nor waits for it.
        for (before, after) in changes.iter().filter(|(_, after)| after.life == Life::Erased) {
            over::nobody(&tx, after.id, now).await?;
            if before.holds_id.is_some() {
                book::ended(app, &mut tx, after.id, SessionEnd::Erased, now).await?;
            }
        }
        let mut desk = Desk::new(app, &mut tx);
        for (before, after) in &changes {
            if after.life == Life::Erased {
                desk.lets_go(after.id, Reason::PhoneErased).await?;
            }
            // What an erased phone leaves on its card goes.
            if let (Life::Erased, Some(stay)) = (after.life, before.holds_id) {
                desk.wipe(after, stay).await?;
            }
        }
        let gone = changes.iter().filter(|(_, after)| after.life == Life::Erased);
        desk.erase_copies(&gone.map(|(_, after)| after.id).collect::<Vec<_>>()).await?;
        let told = std::mem::take(&mut desk.told);
        for (before, after) in &changes {
            let audit = Audit::of("phone").id(after.id).name(&after.code).before(&before.life).after(&after.life);
            tx.record(audit.fill(Entry { at: now, action: name.to_owned(), ..Entry::default() }));
        }
        changed += changes.len() as u64;
        told.commit(app, tx).await?;
    }
}
