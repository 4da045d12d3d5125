//! What domains bring for the demo company ([`Domain::demo`](crate::domain::Domain::demo)).

mod random;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::time::UtcTime;
use sea_orm::{ActiveModelTrait, EntityTrait as _};

pub use random::Random;

use crate::app::App;

const DAY: i64 = 86_400;

/// A few rows, for an entity that needs no more: `make` makes a row of each of `words`, a day apart, the last one yesterday.
pub fn rows<'a, A, const N: usize>(
    app: &'a App,
    words: [&'static str; N],
    make: fn(&str, UtcTime) -> A,
) -> BoxFuture<'a, anyhow::Result<()>>
where
    A: ActiveModelTrait + Send + 'static,
{
    async move {
        let now = app.clock.now();
        let ages = (1..=N).rev().map(|days| i64::try_from(days).unwrap_or(0) * DAY);
        let made: Vec<A> = words.into_iter().zip(ages).map(|(word, age)| make(word, now.plus_seconds(-age))).collect();
        let tx = app.db.begin_write().await?;
        A::Entity::insert_many(made).exec_without_returning(&*tx).await?;
        tx.commit().await?;
        Ok(())
    }
    .boxed()
}
