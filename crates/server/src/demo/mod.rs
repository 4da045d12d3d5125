//! A believable small company for `--demo` and for benchmarks: the same every time, seen from today.
//!
//! It is made of pure functions of a customer's number (see [`people`]), so that a million of them need
//! no more memory than a thousand, and it goes only into a database that holds nobody's data.

mod acts;
mod calendar;
mod company;
mod customers;
mod fleet;
mod people;
mod random;
pub mod room;

use entity::{client_user, operator, permission_group};
use sea_orm::{EntityTrait as _, PaginatorTrait as _};

use crate::app::App;
use crate::domains::general;

/// Customers of the demo company.
pub const CUSTOMERS: u32 = 3_000;

/// Cards of the demo company.
pub const CARDS: u32 = 480;

/// Fills an empty database with the company, `customers` customers and `cards` cards. `false`: it holds data already,
/// and was left alone.
///
/// # Errors
/// When the database refuses.
pub async fn fill(app: &App, customers: u32, cards: u32) -> anyhow::Result<bool> {
    if !is_empty(app).await? {
        return Ok(false);
    }
    let staff = company::found(app).await?;
    customers::fill(app, customers).await?;
    fleet::fill(app, cards).await?;
    acts::perform(app, &staff).await?;
    general::mark_as_demo(app).await?;
    Ok(true)
}

/// Nobody but the first operator is there.
async fn is_empty(app: &App) -> anyhow::Result<bool> {
    let db = app.db.read();
    Ok(client_user::Entity::find().one(db).await?.is_none()
        && operator::Entity::find().count(db).await? <= 1
        && permission_group::Entity::find().count(db).await? <= 1)
}
