//! Access to customers for other domains.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{HITS, Hit, HitState};
use db::kept::{self, Cells};
use db::{search as index, sql};
use entity::ClientUserId;
use entity::client_user::{ClientType, ClientUserStatus as Status, Column, Entity, LoginMethod, Model};
use sea_orm::sea_query::{Expr, SelectStatement};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _, Value as Sql,
};
use serde_json::Value;

use super::store::{self, ClientUserFilter, LIST, SEARCHED, TABLE, VALUES, cell};

/// How many customers there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientUserCounts {
    /// Including closed accounts.
    pub all: u64,
    /// Those who can sign in.
    pub active: u64,
    /// Those who were disabled.
    pub disabled: u64,
}

/// Counts customers, by their kept counters.
///
/// # Errors
/// When a read fails.
pub async fn counts(db: &impl ConnectionTrait) -> Result<ClientUserCounts, DbErr> {
    let of = |status| -> Vec<i32> {
        LoginMethod::ALL
            .iter()
            .flat_map(|method| ClientType::ALL.iter().map(move |client| cell(status, *method, *client)))
            .collect()
    };
    Ok(ClientUserCounts {
        all: kept::total(db, LIST, Cells::All).await?,
        active: kept::total(db, LIST, Cells::These(&of(Status::Active))).await?,
        disabled: kept::total(db, LIST, Cells::These(&of(Status::Disabled))).await?,
    })
}

/// Customers whose name, phone, email or identification code contains `text`, newest first: for the global search.
///
/// # Errors
/// When the read fails.
pub async fn search(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    // One or two letters are in almost every row, and no index finds them.
    if !db::search::is_indexed(text) {
        return Ok(Vec::new());
    }
    let filter = ClientUserFilter { key_word: Some(text.to_owned()), ..ClientUserFilter::default() };
    let (found, _) = store::step(ctx.read(), &filter, None, HITS).await?;
    let mut hits = Vec::with_capacity(found.len());
    for user in found {
        let known = [user.phone, user.ident_code].into_iter().filter(|part| !part.is_empty());
        hits.push(Hit {
            id: user.id.to_string(),
            title: user.name,
            subtitle: known.collect::<Vec<_>>().join(" · "),
            path: format!("/clientUser?detail={}", user.id),
            state: why_out_of_use(ctx, user.id, user.status).await?,
        });
    }
    Ok(hits)
}

/// Who disabled a customer, when and why: the question of every second caller.
async fn why_out_of_use(ctx: &OpCtx, id: ClientUserId, status: Status) -> Outcome<Option<HitState>> {
    if status == Status::Active {
        return Ok(None);
    }
    let disabled = |_: Option<&Value>, after: &Value| after["status"] == Status::Disabled.code();
    let acts: &[&str] = if status == Status::Disabled { &["client_user_set_status"] } else { &[] };
    HitState::of(ctx, status.label(), ("clientUser", id.0), acts, disabled).await.map(Some)
}

/// The ids of customers whose name, phone, email or identification code contains `text`: to be asked within another
/// question.
#[must_use]
pub fn ids_found_by(backend: DbBackend, text: &str) -> SelectStatement {
    let select = Entity::find().select_only().column(Column::Id);
    select.filter(index::contains(backend, TABLE, &SEARCHED, text)).into_query()
}

/// The customer, unless the account is closed.
///
/// # Errors
/// When the read fails.
pub async fn open_account(db: &impl ConnectionTrait, id: ClientUserId) -> Result<Option<Model>, DbErr> {
    Ok(store::find(db, id).await?.filter(|row| row.status != Status::LoggedOut))
}

/// Those of these customers whose accounts are out of use: disabled, or closed.
///
/// # Errors
/// When the read fails.
pub async fn out_of_use(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = ClientUserId>,
) -> Result<HashMap<ClientUserId, Status>, DbErr> {
    let ids: Vec<ClientUserId> = ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = HashMap::new();
    for ids in ids.chunks(VALUES) {
        let select = Entity::find().select_only().columns([Column::Id, Column::Status]);
        let rows: Vec<(ClientUserId, Status)> = select
            .filter(Column::Id.is_in(ids.iter().copied()))
            .filter(Column::Status.ne(Status::Active))
            .into_tuple()
            .all(db)
            .await?;
        found.extend(rows);
    }
    Ok(found)
}

/// The next `limit` closed accounts after `after` that have phones which are not erased.
///
/// # Errors
/// When the read fails.
pub async fn closed_with_phones(
    db: &impl ConnectionTrait,
    after: ClientUserId,
    limit: u64,
) -> Result<Vec<ClientUserId>, DbErr> {
    let select = Entity::find().select_only().column(Column::Id).filter(Column::Id.gt(after));
    // In the words of the index that has them alone: it is asked every minute.
    let select = select.filter(Expr::cust("status = 3 AND phone_count > 0"));
    select.order_by_asc(Column::Id).limit(limit).into_tuple().all(db).await
}

/// The customers who have these phone numbers or identification codes and whose accounts are open.
///
/// # Errors
/// When the read fails.
pub async fn named(db: &impl ConnectionTrait, names: BTreeSet<&str>) -> Result<HashMap<String, ClientUserId>, DbErr> {
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let mut found = HashMap::new();
    for names in names.chunks(VALUES) {
        // A number wins over a code that reads like it: it is what people know somebody by.
        for column in [Column::IdentCode, Column::Phone] {
            let select = Entity::find().select_only().columns([column, Column::Id]);
            let rows: Vec<(String, ClientUserId)> = select
                .filter(column.is_in(names.iter().copied()))
                // Indexes leave empty texts out where those need not be unique; saying so lets them be used.
                .filter(column.ne(""))
                .filter(Column::Status.ne(Status::LoggedOut))
                .into_tuple()
                .all(db)
                .await?;
            found.extend(rows);
        }
    }
    Ok(found)
}

/// Those of these phone numbers that open accounts have.
///
/// # Errors
/// When the read fails.
pub async fn open_phones(db: &impl ConnectionTrait, phones: BTreeSet<&str>) -> Result<HashSet<String>, DbErr> {
    // In key order, as the index is.
    let phones: Vec<&str> = phones.into_iter().collect();
    let mut found = HashSet::new();
    for phones in phones.chunks(VALUES) {
        let select = Entity::find().select_only().column(Column::Phone);
        let rows: Vec<String> = select
            .filter(Column::Phone.is_in(phones.iter().copied()))
            // The index leaves empty texts out; saying so lets it be used.
            .filter(Column::Phone.ne(""))
            .filter(Column::Status.ne(Status::LoggedOut))
            .into_tuple()
            .all(db)
            .await?;
        found.extend(rows);
    }
    Ok(found)
}

/// Adds to the number of phones that customers have.
///
/// # Errors
/// When the write fails.
pub async fn add_phones(tx: &impl ConnectionTrait, more: &BTreeMap<ClientUserId, i64>) -> Result<(), DbErr> {
    let more: Vec<(ClientUserId, i64)> = more.iter().map(|(id, count)| (*id, *count)).collect();
    for group in more.chunks(VALUES) {
        let text = format!(
            "UPDATE client_user SET phone_count = phone_count + v.column2 FROM (VALUES {}) AS v WHERE client_user.id = v.column1",
            sql::value_groups(group.len(), 2)
        );
        let values = group.iter().flat_map(|(id, count)| -> [Sql; 2] { [id.0.into(), (*count).into()] });
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}
