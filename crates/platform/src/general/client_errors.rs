//! Errors that browsers caught and reported: the last two hundred of them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::OperatorId;
use entity::client_error::{ActiveModel, Column, Entity, Model};
use kernel::rules::{Check, Violation};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The number of errors that are kept.
const KEPT: u64 = 200;
/// Reports that one operator may send in a minute: a page that fails in a loop must not fill the log.
const PER_MINUTE: u32 = 30;
const MINUTE: Duration = Duration::from_secs(60);

/// An error that a browser caught. Texts that are too long are truncated.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ClientErrorInput {
    /// What went wrong.
    pub message: String,
    /// The part of the page in which it occurred.
    #[serde(default)]
    pub component: String,
    /// The page's address.
    #[serde(default)]
    pub address: String,
    /// The stack trace.
    #[serde(default)]
    pub stack: String,
}

impl Validate for ClientErrorInput {
    fn check(&self, check: &mut Check) {
        // Any text is accepted, including line breaks: it comes from a program.
        if self.message.trim().is_empty() {
            check.add("message", Violation::new("required"));
        }
    }
}

/// A reported error.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientErrorView {
    pub id: i64,
    pub create_time: UtcTime,
    pub username: String,
    pub message: String,
    pub component: String,
    pub address: String,
    pub stack: String,
    pub browser: String,
}

impl From<Model> for ClientErrorView {
    fn from(row: Model) -> Self {
        let Model { id, at, operator_name, message, component, address, stack, browser } = row;
        Self { id, create_time: at, username: operator_name, message, component, address, stack, browser }
    }
}

/// Counts reports by operator, a minute at a time.
#[derive(Debug, Default)]
pub struct ReportLimit(Mutex<HashMap<OperatorId, (Instant, u32)>>);

impl ReportLimit {
    fn admit(&self, operator: OperatorId) -> Outcome<()> {
        let mut counts = self.0.lock();
        counts.retain(|_, (since, _)| since.elapsed() < MINUTE);
        let (since, count) = counts.entry(operator).or_insert((Instant::now(), 0));
        *count += 1;
        if *count > PER_MINUTE {
            let left = MINUTE.saturating_sub(since.elapsed());
            return Err(Fault::TooMany { retry_after_s: left.as_secs() + 1 });
        }
        Ok(())
    }
}

static LIMIT: std::sync::LazyLock<ReportLimit> = std::sync::LazyLock::new(ReportLimit::default);

/// Stores a report and removes the oldest ones.
///
/// # Errors
/// When the operator reports too often, or the write fails.
pub async fn report(ctx: &OpCtx, input: ClientErrorInput, browser: &str) -> Outcome<()> {
    LIMIT.admit(ctx.operator())?;
    let ClientErrorInput { message, component, address, stack } = input;
    let row = ActiveModel {
        at: Set(ctx.now()),
        operator_name: Set(ctx.session.username.clone()),
        message: Set(cut(&message, 1024)),
        component: Set(cut(&component, 256)),
        address: Set(cut(&without_query(&address), 1024)),
        stack: Set(cut(&stack, 8192)),
        browser: Set(cut(browser, 256)),
        ..Default::default()
    };
    let tx = ctx.db().begin_write().await?;
    Entity::insert(row).exec_without_returning(&*tx).await?;
    let oldest_kept: Option<i64> = Entity::find()
        .select_only()
        .column(Column::Id)
        .order_by_desc(Column::Id)
        .offset(KEPT - 1)
        .limit(1)
        .into_tuple()
        .one(&*tx)
        .await?;
    if let Some(id) = oldest_kept {
        Entity::delete_many().filter(Column::Id.lt(id)).exec(&*tx).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Removes all of them.
///
/// # Errors
/// When the write fails.
pub async fn clear(ctx: &OpCtx) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let count = Entity::find().count(&*tx).await?;
    Entity::delete_many().exec(&*tx).await?;
    tx.commit(Audit::of("clientError").note(format!("{count} rows"))).await
}

fn cut(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// An address may contain a search text, or a one-time code.
fn without_query(address: &str) -> String {
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}
