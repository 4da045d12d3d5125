//! Inserts the customers, their records and their requests, in key order and in steps.

use base::app::App;
use base::demo::Random;
use customers::{self, NewRecord};
use db::journal::Entry;
use entity::client_user::{ClientType, ClientUserStatus};
use entity::client_user_record::RecordKind as Kind;
use entity::logout_request::{self, LogoutStatus as Status};
use entity::{ClientUserId, operator};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::json;

use super::people::{Closing, People};

/// Rows in one transaction.
const STEP: usize = 1000;
/// With more customers than this, only every n-th has records.
const WITH_RECORDS: u32 = 20_000;
/// The clerk of the demo company who disables customers and closes accounts.
const CLERK: &str = "kefu_chen";
/// Why customers are disabled.
const REASONS: &[&str] =
    &["恶意退款", "多次投诉骚扰他人", "盗用他人账号", "批量注册", "支付风控拦截", "用户本人申请停用"];

/// An event of a customer, small enough to sort a few hundred thousand of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: UtcTime,
    index: u32,
    user: i64,
    kind: Kind,
}

pub async fn fill(app: &App, count: u32) -> anyhow::Result<()> {
    let people = People::new(count, app.clock.now());
    let stride = count.div_ceil(WITH_RECORDS).max(1);
    let (mut events, mut closings, mut disabled) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    while first < count {
        let last = count.min(first + u32::try_from(STEP)?);
        let rows = (first..last).map(|index| people.person(index)).collect();
        let mut tx = app.db.begin_write().await?;
        let made =
            customers::insert_many(&mut tx, rows, people.now).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        for row in &made {
            if row.status == ClientUserStatus::Disabled && count <= WITH_RECORDS {
                disabled.push((row.id, row.name.clone(), row.registered_at));
            }
        }
        tx.commit().await?;
        for (index, row) in (first..last).zip(made) {
            if let Some(closing) = people.closing(index) {
                closings.push((closing, row.id, row.registered_at));
            }
            if index % stride == 0 {
                collect_events(&people, index, row.id.0, row.registered_at, &mut events);
            }
        }
        first = last;
    }
    events.sort_unstable();
    for step in events.chunks(STEP) {
        let rows: Vec<NewRecord> = step.iter().map(|event| record(&people, *event)).collect();
        let mut tx = app.db.begin_write().await?;
        customers::insert_records(&mut tx, &rows).await?;
        tx.commit().await?;
    }
    log_disabled(app, &people, disabled).await?;
    insert_closings(app, &people, closings).await
}

/// Who disabled them and why, as the operation log has it.
async fn log_disabled(
    app: &App,
    people: &People,
    disabled: Vec<(ClientUserId, String, UtcTime)>,
) -> anyhow::Result<()> {
    let by = operator::Entity::find().filter(operator::Column::Username.eq(CLERK)).one(app.db.read()).await?;
    let mut entries: Vec<Entry> = disabled
        .into_iter()
        .map(|(id, name, registered_at)| {
            let mut random = Random::stream(6, u32::try_from(id.0).unwrap_or(0));
            let days_back = usize::try_from(random.below(30)).unwrap_or(0).min(people.days_since(registered_at));
            let reason = random.pick(REASONS);
            Entry {
                at: people.calendar.visit(days_back, &mut random).max(registered_at),
                operator_id: by.as_ref().map(|operator| operator.id.0),
                operator_name: CLERK.to_owned(),
                ip: "10.20.0.17".to_owned(),
                action: "client_user_set_status".to_owned(),
                object_kind: "clientUser".to_owned(),
                object_id: id.to_string(),
                before: Some(json!([{ "id": id, "name": name, "status": ClientUserStatus::Active }]).to_string()),
                after: Some(json!({ "status": ClientUserStatus::Disabled, "reason": reason }).to_string()),
                object_name: name,
                message: reason.to_owned(),
                ..Entry::default()
            }
        })
        .collect();
    entries.sort_by_key(|entry| entry.at);
    let mut tx = app.db.begin_write().await?;
    entries.into_iter().for_each(|entry| tx.record(entry));
    tx.commit().await?;
    Ok(())
}

fn collect_events(people: &People, index: u32, user: i64, registered_at: UtcTime, events: &mut Vec<Event>) {
    events.push(Event { at: registered_at, index, user, kind: Kind::Register });
    let mut random = Random::stream(3, index);
    for at in people.visits(index, registered_at) {
        events.push(Event { at, index, user, kind: Kind::SignIn });
        let out = at.plus_seconds(300 + i64::try_from(random.below(10_000)).unwrap_or(0));
        if random.chance(60) && out < people.now {
            events.push(Event { at: out, index, user, kind: Kind::SignOut });
        }
    }
}

fn record(people: &People, event: Event) -> NewRecord {
    let person = people.person(event.index);
    // Occasionally somebody signs in from elsewhere.
    let mut random = Random::stream(4, event.index ^ u32::try_from(event.at.millis() & 0xffff_ffff).unwrap_or(0));
    let away = event.kind != Kind::Register && random.chance(15);
    NewRecord {
        user_id: ClientUserId(event.user),
        kind: event.kind,
        at: event.at,
        ip: if away { format!("223.104.{}.{}", random.below(256), 1 + random.below(254)) } else { person.register_ip },
        device_name: person.device_name,
        client_type: if away && random.chance(20) { ClientType::Web } else { person.client_type },
        client_version: person.client_version,
        login_method: person.login_method,
    }
}

/// The requests to close an account, oldest first, over the last six weeks.
async fn insert_closings(
    app: &App,
    people: &People,
    closings: Vec<(Closing, ClientUserId, UtcTime)>,
) -> anyhow::Result<()> {
    let count = i64::try_from(closings.len())?;
    let mut rows = Vec::new();
    for (place, (closing, user, registered_at)) in (0_i64..).zip(closings) {
        let mut random = Random::stream(5, u32::try_from(place)?);
        let days_back = usize::try_from((count - place) * 42 / count.max(1))?.min(people.days_since(registered_at));
        let requested_at = people.calendar.visit(days_back, &mut random).max(registered_at);
        let later =
            |days: i64| UtcTime(requested_at.plus_seconds(days * 86_400 + 5_000).millis().min(people.now.millis()));
        let (status, handled_at) = match closing {
            Closing::Requested => (Status::Requested, None),
            Closing::Withdrawn => (Status::Withdrawn, Some(later(1))),
            Closing::Completed | Closing::CameBack => (Status::Completed, Some(later(7))),
        };
        let came_back = closing == Closing::CameBack;
        rows.push(logout_request::ActiveModel {
            user_id: Set(user),
            requested_at: Set(requested_at),
            status: Set(status),
            handled_at: Set(handled_at),
            handled_by: Set(if handled_at.is_some() { CLERK.to_owned() } else { String::new() }),
            re_registered: Set(came_back),
            re_registered_at: Set(came_back.then(|| later(11))),
            ..Default::default()
        });
    }
    rows.sort_by_key(|row| *row.requested_at.as_ref());
    if rows.is_empty() {
        return Ok(());
    }
    let tx = app.db.begin_write().await?;
    logout_request::Entity::insert_many(rows).exec_without_returning(&*tx).await?;
    tx.commit().await?;
    Ok(())
}
