//! A realistic small company for `--demo` and for benchmarks: the same every time, relative to today.
//!
//! It consists of pure functions of a customer's index (see [`people`]), so that a million of them need no more memory
//! than a thousand, and it is only written to a database without data. Its staff, customers and rooms stand here; what
//! else it has is brought by the domains (`Domain::demo`).

mod acts;
pub mod calendar;
mod company;
pub mod crowd;
mod customers;
mod fleet;
pub mod history;
pub mod people;
pub mod room;
mod welcome;
mod work;

use base::app::App;
use entity::{client_user, operator, permission_group};
use platform::general;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
pub use welcome::welcome;

use crate::domains;

/// Customers of the demo company.
pub const CUSTOMERS: u32 = 3_000;

/// Cards of the demo company.
pub const CARDS: u32 = 480;

/// Which company `--demo` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// All of its rooms are simulated, a month lies behind it, and its staff works.
    Whole,
    /// At rest, as tests want it: three rooms are records only, one is simulated.
    Quiet,
}

impl Company {
    /// Fills an empty database with it. `false`: it already contains data, and was left alone but for the room that
    /// every demo has.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn found(self, app: &App) -> anyhow::Result<bool> {
        let is_new = match self {
            Self::Whole => fill_whole(app).await?,
            Self::Quiet => fill(app, CUSTOMERS, CARDS).await?,
        };
        if is_new || general::is_demo(app).await? {
            room::found(app, std::slice::from_ref(&room::NEW)).await?;
        }
        Ok(is_new)
    }
}

/// Fills an empty database with the company, `customers` customers and `cards` cards that are records only. `false`: it
/// already contains data, and was left alone.
///
/// # Errors
/// When the database refuses.
pub async fn fill(app: &App, customers: u32, cards: u32) -> anyhow::Result<bool> {
    if !is_empty(app).await? {
        return Ok(false);
    }
    let staff = company::found(app, false).await?;
    customers::fill(app, customers).await?;
    fleet::fill(app, cards).await?;
    acts::perform(app, &staff).await?;
    domains_own(app).await?;
    acts::look_after_phones(app, &staff).await?;
    general::mark_as_demo(app).await?;
    Ok(true)
}

/// Fills an empty database with a company all of whose rooms are simulated. `false`: it already contains data, and was
/// left alone.
///
/// # Errors
/// When the database refuses.
async fn fill_whole(app: &App) -> anyhow::Result<bool> {
    if !is_empty(app).await? {
        return Ok(false);
    }
    let staff = company::found(app, true).await?;
    customers::fill(app, CUSTOMERS).await?;
    acts::perform(app, &staff).await?;
    room::found(app, &room::SETTLED).await?;
    domains_own(app).await?;
    acts::look_after_phones(app, &staff).await?;
    general::mark_as_demo(app).await?;
    Ok(true)
}

/// What the domains bring themselves.
async fn domains_own(app: &App) -> anyhow::Result<()> {
    for domain in domains::all() {
        (domain.demo)(app).await?;
    }
    Ok(())
}

/// What a whole company does once its rooms are alive, in the background: the staff's work, and, where it was just filled
/// (`is_new`), the figures of the month before. Nothing depends on it, so that trouble is only told.
pub fn enliven(app: &App, alive: Vec<&'static room::Site>, is_new: bool) {
    let app = app.clone();
    tokio::spawn(async move {
        if let Err(error) = work::begin(&app, &alive).await {
            tracing::warn!("nobody works in the demo company: {error:#}");
        }
        if is_new && let Err(error) = history::write(&app, &room::SETTLED).await {
            tracing::warn!("the demo company has no history: {error:#}");
        }
    });
}

/// There is nobody except the first operator.
async fn is_empty(app: &App) -> anyhow::Result<bool> {
    let db = app.db.read();
    Ok(client_user::Entity::find().one(db).await?.is_none()
        && operator::Entity::find().count(db).await? <= 1
        && permission_group::Entity::find().count(db).await? <= 1)
}
