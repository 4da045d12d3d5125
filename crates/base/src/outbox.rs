//! What applications of the Open API are told by themselves: written in the transaction of what has happened, and sent later by
//! the group that knows how (`open`).
//!
//! Whoever changes something says so here and knows of no application. What is written is a row for each application that may see
//! it and has chosen to hear of it; where there is none, nothing is. What is rolled back is told to nobody.

use std::collections::HashSet;

use db::kept::{Field, List, Packed, Part, Place};
use db::{WriteTx, sql};
use entity::open_app::{OpenOwner, OpenScope};
use entity::webhook::HookEvent;
use entity::webhook_delivery::DeliveryState;
use entity::{DeliveryId, OpenAppId};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbErr, Value};
use serde::Serialize;

/// Events in one statement.
const ROWS: usize = 200;
const COLUMNS: usize = 9;
const STATE: Field = Field::new(0, 2, "state");
const KIND: Field = Field::new(2, 5, "kind");
const APP: Field = Field::new(7, 24, "app_id");

/// What is on its way, or was, by application, event and state.
pub const DELIVERIES: Packed =
    Packed { list: List(31), table: "webhook_delivery", word: None, fields: &[STATE, KIND, APP] };

/// Who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Those who may see what this application has brought; none where the company has it.
    WhoSees(Option<OpenAppId>),
    /// One alone.
    One(OpenAppId),
}

/// Something that applications are told.
#[derive(Clone, Debug)]
pub struct News<D> {
    pub kind: HookEvent,
    /// What it is about, such as `phone.17`, of 32 letters at most: of one thing, what is written first is told first.
    pub object: String,
    /// What people call that.
    pub subject: String,
    pub to: To,
    pub at: UtcTime,
    /// `data` of what is sent.
    pub data: D,
}

/// What is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, D> {
    /// The same whenever it is sent.
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    time: UtcTime,
    data: &'a D,
}

/// Writes it for whoever is to be told.
///
/// # Errors
/// When the write fails.
pub async fn write<D: Serialize>(tx: &mut WriteTx, news: &[News<D>]) -> Result<(), DbErr> {
    for some in groups(news) {
        insert(tx, some).await?;
    }
    Ok(())
}

/// A statement does not see what it writes itself: of each thing it has one event at most.
fn groups<D>(news: &[News<D>]) -> Vec<&[News<D>]> {
    let (mut groups, mut from, mut seen) = (Vec::new(), 0, HashSet::new());
    for (at, one) in news.iter().enumerate() {
        if at - from == ROWS || !seen.insert(one.object.as_str()) {
            groups.push(&news[from..at]);
            (from, seen) = (at, HashSet::from([one.object.as_str()]));
        }
    }
    if from < news.len() {
        groups.push(&news[from..]);
    }
    groups
}

async fn insert<D: Serialize>(tx: &mut WriteTx, news: &[News<D>]) -> Result<(), DbErr> {
    let mut values: Vec<Value> = Vec::with_capacity(news.len() * COLUMNS);
    for News { kind, object, subject, to, at, data } in news {
        let id = hex::encode(rand::random::<[u8; 16]>());
        let body = Body { id: &id, kind: kind.name(), time: *at, data };
        let body = serde_json::to_string(&body).map_err(|error| DbErr::Custom(error.to_string()))?;
        let (brought_by, only) = match to {
            To::WhoSees(app) => (app.map_or(0, |app| app.0), 0),
            To::One(app) => (0, app.0),
        };
        // A try is for whoever asks for it, whatever he has chosen.
        let bit = if *kind == HookEvent::Test { 0 } else { kind.bit() };
        let row: [Value; COLUMNS] = [
            id.into(),
            kind.code().into(),
            object.as_str().into(),
            subject.as_str().into(),
            body.into(),
            at.millis().into(),
            brought_by.into(),
            only.into(),
            bit.into(),
        ];
        values.extend(row);
    }
    let (pending, company, phone) = (DeliveryState::Pending.code(), OpenOwner::Company.code(), OpenScope::Phone.name());
    // Both engines name the columns of a list of values alike.
    let text = format!(
        "INSERT INTO webhook_delivery (app_id, event_id, kind, object, subject, payload, state, tries, next_at, answer, millis, created_at) \
         SELECT w.app_id, v.column1, v.column2, v.column3, v.column4, v.column5, {pending}, 0, \
         CASE WHEN EXISTS (SELECT 1 FROM webhook_delivery e WHERE e.app_id = w.app_id AND e.object = v.column3 AND e.state = 1) \
         THEN NULL ELSE v.column6 END, '', 0, v.column6 \
         FROM webhook w JOIN open_app a ON a.id = w.app_id JOIN (VALUES {}) AS v \
         ON ((v.column8 = 0 AND (a.owner = {company} OR a.id = v.column7)) OR a.id = v.column8) \
         AND (v.column9 = 0 OR ((w.events & v.column9) <> 0 AND ',' || a.scopes || ',' LIKE '%,{phone},%')) \
         WHERE w.is_enabled AND a.is_enabled RETURNING id, app_id, kind",
        sql::value_groups(news.len(), COLUMNS)
    );
    let backend = tx.get_database_backend();
    for made in tx.query_all_raw(sql::statement(backend, text, values)).await? {
        let (id, app, kind): (i64, i64, i16) =
            (made.try_get_by_index(0)?, made.try_get_by_index(1)?, made.try_get_by_index(2)?);
        let (id, app) = (DeliveryId(id), OpenAppId(app));
        if let Some(kind) = HookEvent::from_code(kind) {
            tx.counts().moved(DELIVERIES.list, None, Some(place(id, app, kind, DeliveryState::Pending)));
        }
    }
    Ok(())
}

/// A row's place in the counters.
#[must_use]
pub fn place(id: DeliveryId, app: OpenAppId, kind: HookEvent, state: DeliveryState) -> Place {
    let cell = APP.put(app.0) | KIND.put(kind.code().into()) | STATE.put(state.code().into());
    Place { cell, id: id.0 }
}

/// The application of a cell.
#[must_use]
pub fn app_of(cell: i32) -> OpenAppId {
    OpenAppId(APP.get(cell).into())
}

/// The parts of cells that are selected: all of those parts of which nothing is said.
#[must_use]
pub fn parts(app: Option<OpenAppId>, kind: Option<HookEvent>, state: Option<DeliveryState>) -> Vec<Part> {
    let app = app.map(|app| APP.is(app.0));
    let kind = kind.map(|kind| KIND.is(kind.code()));
    let state = state.map(|state| STATE.is(state.code()));
    [app, kind, state].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use entity::webhook::HookEvent;
    use entity::webhook_delivery::DeliveryState;
    use entity::{DeliveryId, OpenAppId};
    use kernel::time::UtcTime;

    use super::{KIND, News, ROWS, STATE, To, app_of, groups, parts, place};

    fn about(object: &str) -> News<()> {
        let (object, subject) = (object.to_owned(), String::new());
        News { kind: HookEvent::PhoneOn, object, subject, to: To::WhoSees(None), at: UtcTime(0), data: () }
    }

    #[test]
    fn a_statement_has_one_event_of_each_thing_at_most() {
        let news: Vec<News<()>> = ["a", "b", "a", "c", "c"].map(about).into();
        let sizes = |news: &[News<()>]| groups(news).into_iter().map(<[_]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(&news), [2, 2, 1]);
        assert_eq!(sizes(&[]), [0; 0]);
        let many: Vec<News<()>> = (0..=ROWS).map(|n| about(&n.to_string())).collect();
        assert_eq!(sizes(&many), [ROWS, 1]);
    }

    #[test]
    fn cells_have_room_for_every_event_and_state_and_parts_find_them() {
        assert!(HookEvent::ALL.iter().all(|kind| KIND.holds(kind.code())));
        assert!(DeliveryState::ALL.iter().all(|state| STATE.holds(state.code())));
        let app = OpenAppId(70_000);
        let cell = place(DeliveryId(9), app, HookEvent::ConnectReady, DeliveryState::Stuck).cell;
        for part in parts(Some(app), Some(HookEvent::ConnectReady), Some(DeliveryState::Stuck)) {
            assert!(part.has(cell));
        }
        assert!(
            cell > 0 && place(DeliveryId(9), OpenAppId(i64::MAX), HookEvent::Test, DeliveryState::Pending).cell > 0
        );
        assert_eq!(app_of(cell), app);
        assert!(parts(None, None, None).is_empty());
    }
}
