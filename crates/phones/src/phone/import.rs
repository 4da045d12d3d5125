//! Phones out of a spreadsheet.

use std::collections::{BTreeSet, HashMap};

use base::app::App;
use base::fault::Outcome;
use base::http::Need;
use base::import::{Applied, Import, Importer, New, Row, of, own};
use db::WriteTx;
use entity::phone::{PhonePool, PhoneSource, Plan};
use entity::{ClientUserId, RoomId};
use kernel::rules::{Check, Verdict, Violation, integer_text_between, max_chars, name as name_rule};
use kernel::text::{Text, text};
use sea_orm::ConnectionTrait;
use serde_json::json;

use super::bulk::{NewPhone, insert_many};
use super::list::Phones;
use crate::screens::perm;

const DAY: i64 = 86_400;

/// New phones; known ones are not changed.
#[derive(Clone, Copy, Debug)]
pub struct ImportPhones;

/// A row that is right: the phone but for its expiry, and for how many days it is paid.
pub type Paid = (NewPhone, i64);

/// The users and rooms that the rows of a batch name.
pub struct Named {
    users: HashMap<String, ClientUserId>,
    rooms: HashMap<String, RoomId>,
}

impl Import for ImportPhones {
    type List = Phones;
    type Effect = New<Paid>;
    type Known = Named;
    const OF: &'static str = "phone";
    const PATH: &'static str = "/api/phone/v1/phones/import";
    const TAG: &'static str = "phone";
    const CALLS: &'static str = "phone_import";
    const KIND: &'static str = "phone.import";
    const NEED: Need = perm::PHONE_IMPORT;
    const TITLE: Text = text("导入云手机：{name}", "Import cloud phones: {name}");
    const TEMPLATE: Text = text("云手机导入模板", "Cloud phone import");

    fn columns() -> Vec<base::import::Column> {
        vec![
            own("userNumber", text("用户手机号或识别码", "User phone or identification code"), 24)
                .also(&["用户手机号", "User phone", "识别码", "Identification code"])
                .required(),
            of::<Phones>("plan").required().rule(|cell| plan(cell).map(drop)),
            of::<Phones>("room").required(),
            of::<Phones>("diskGb").required().rule(|cell| integer_text_between(cell, 1, 9999).map(drop)),
            own("days", text("有效天数", "Valid for days"), 10)
                .required()
                .rule(|cell| integer_text_between(cell, 1, 999).map(drop)),
            of::<Phones>("name").rule(name_rule),
            of::<Phones>("pool").rule(|cell| pool(cell).map(drop)),
            of::<Phones>("remark").rule(|cell| max_chars(cell, 256)),
        ]
    }

    async fn known(_app: &App, db: &impl ConnectionTrait, rows: &[&Row]) -> Outcome<Named> {
        let given = |key| rows.iter().filter_map(|row| row.given(key)).collect::<BTreeSet<&str>>();
        let rooms = fleet::rooms_named(db, given("room")).await?;
        Ok(Named { users: customers::named(db, given("userNumber")).await?, rooms })
    }

    fn judge(known: &Named, row: &Row, check: &mut Check) -> Option<New<Paid>> {
        let user_id = known.users.get(row.given("userNumber")?).copied();
        let room_id = known.rooms.get(row.given("room")?).copied();
        for (field, is_known) in [("userNumber", user_id.is_some()), ("room", room_id.is_some())] {
            if !is_known {
                check.add(field, Violation::unknown_reference());
            }
        }
        let new = NewPhone {
            name: row.text("name"),
            user_id: user_id?,
            plan: plan(row.given("plan")?).ok()?,
            room_id: room_id?,
            pool: row.given("pool").map_or(Ok(PhonePool::Shared), pool).ok()?,
            disk_gb: row.parsed("diskGb")?,
            expires_at: kernel::time::UtcTime::default(),
            source: PhoneSource::Operator,
            remark: row.text("remark"),
        };
        Some(New((new, row.parsed("days")?)))
    }

    async fn apply(tx: &mut WriteTx, by: &Importer<'_>, effects: Vec<New<Paid>>) -> Outcome<Applied> {
        let paid = |New((new, days)): New<Paid>| NewPhone { expires_at: by.now.plus_seconds(days * DAY), ..new };
        let made = insert_many(tx, effects.into_iter().map(paid).collect(), by.now).await?;
        let ids = [("firstId", made.first()), ("lastId", made.last())];
        let facts = ids.into_iter().map(|(name, row)| (name, json!(row.map(|row| row.id)))).collect();
        let ids = made.iter().map(|row| row.id.0).collect();
        Ok(Applied { note: format!("{} rows", made.len()), facts, ids, then: None })
    }
}

/// A plan, by its label.
fn plan(cell: &str) -> Verdict<Plan> {
    let found = Plan::ALL.iter().find(|plan| cell.eq_ignore_ascii_case(plan.label().en));
    found.copied().ok_or_else(|| {
        let labels: Vec<&str> = Plan::ALL.iter().map(|plan| plan.label().en).collect();
        Violation::not_a_choice(&labels.join(", "))
    })
}

/// On which cards a phone comes, as files in either language say it.
fn pool(cell: &str) -> Verdict<PhonePool> {
    let says = |label: Text| cell == label.zh || cell.eq_ignore_ascii_case(label.en);
    PhonePool::ALL.iter().find(|pool| says(pool.label())).copied().ok_or_else(|| {
        let labels: Vec<&str> = PhonePool::ALL.iter().flat_map(|pool| [pool.label().zh, pool.label().en]).collect();
        Violation::not_a_choice(&labels.join(", "))
    })
}
