//! Customers out of a spreadsheet.

use std::collections::HashSet;

use base::app::App;
use base::fault::Outcome;
use base::http::{Need, Validate as _};
use base::import::{Applied, Import, Importer, New, Row, of, taken};
use db::WriteTx;
use entity::client_user::{ClientType, ClientUserStatus as Status, Column, Entity, LoginMethod};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;
use serde_json::json;

use super::bulk::{NewClientUser, insert_many};
use super::list::Users;
use super::lookup::open_phones;
use super::service::{ClientUserInput, new_ident_code};
use super::store::came_back;
use crate::screens::perm;

/// New customers; known ones are not changed.
#[derive(Clone, Copy, Debug)]
pub struct ImportUsers;

/// The phones and codes of a batch that customers have already.
pub struct Taken {
    phones: HashSet<String>,
    codes: HashSet<String>,
}

impl Import for ImportUsers {
    type List = Users;
    type Effect = New<ClientUserInput>;
    type Known = Taken;
    const OF: &'static str = "clientUser";
    const PATH: &'static str = "/api/user/v1/client-users/import";
    const TAG: &'static str = "clientUser";
    const CALLS: &'static str = "client_user_import";
    const KIND: &'static str = "clientUser.import";
    const NEED: Need = perm::CLIENT_USER_IMPORT;
    const TITLE: Text = text("导入客户端用户：{name}", "Import client users: {name}");
    const TEMPLATE: Text = text("用户导入模板", "Client user import");

    fn columns() -> Vec<base::import::Column> {
        vec![
            of::<Users>("name").required(),
            of::<Users>("phone").unique(),
            of::<Users>("email"),
            of::<Users>("identCode").unique(),
            of::<Users>("remark"),
        ]
    }

    fn check(row: &Row, check: &mut Check) {
        input(row).check(check);
    }

    async fn known(_app: &App, db: &impl ConnectionTrait, rows: &[&Row]) -> Outcome<Taken> {
        let phones = rows.iter().filter_map(|row| row.given("phone")).collect();
        Ok(Taken {
            phones: open_phones(db, phones).await?,
            codes: taken::<Entity>(db, Column::IdentCode, rows, "identCode").await?,
        })
    }

    fn judge(known: &Taken, row: &Row, check: &mut Check) -> Option<New<ClientUserInput>> {
        let input = input(row);
        for (field, value, taken) in
            [("phone", &input.phone, &known.phones), ("identCode", &input.ident_code, &known.codes)]
        {
            if taken.contains(value) {
                check.add(field, Violation::taken());
            }
        }
        Some(New(input))
    }

    async fn apply(tx: &mut WriteTx, by: &Importer<'_>, effects: Vec<New<ClientUserInput>>) -> Outcome<Applied> {
        let rows = effects.into_iter().map(|New(input)| new_customer(input, by.ip, by.now)).collect();
        let made = insert_many(tx, rows, by.now).await?;
        let phones: Vec<&str> = made.iter().map(|row| row.phone.as_str()).filter(|phone| !phone.is_empty()).collect();
        came_back(&**tx, &phones, by.now).await?;
        let ids = [("firstId", made.first()), ("lastId", made.last())];
        let facts = ids.into_iter().map(|(name, row)| (name, json!(row.map(|row| row.id)))).collect();
        let ids = made.iter().map(|row| row.id.0).collect();
        Ok(Applied { note: format!("{} rows", made.len()), facts, ids, then: None })
    }
}

/// A row, as the form would send it.
fn input(row: &Row) -> ClientUserInput {
    ClientUserInput {
        name: row.text("name"),
        phone: row.text("phone"),
        email: row.text("email"),
        ident_code: row.text("identCode"),
        remark: row.text("remark"),
    }
}

fn new_customer(input: ClientUserInput, ip: &str, now: UtcTime) -> NewClientUser {
    let ClientUserInput { name, phone, email, ident_code, remark } = input;
    NewClientUser {
        name,
        phone,
        email,
        ident_code: if ident_code.is_empty() { new_ident_code() } else { ident_code },
        login_method: LoginMethod::Guest,
        device_name: String::new(),
        register_ip: ip.to_owned(),
        client_type: ClientType::Web,
        client_version: String::new(),
        status: Status::Active,
        star_coins: 0,
        phone_count: 0,
        remark,
        registered_at: now,
        last_login_at: None,
    }
}
