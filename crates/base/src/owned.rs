//! Whose things a caller of the Open API may see.
//!
//! Every query that answers such a caller takes an [`Owned`], so that none compiles without having asked.

use db::sql::unindexed;
use entity::OpenAppId;
use sea_orm::{ColumnTrait, DbBackend, EntityTrait, ExprTrait as _, QueryFilter as _, Select};

/// Whose things are seen: everybody's, or those that one application brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owned(Option<OpenAppId>);

impl Owned {
    /// Everybody's: for the company's own applications.
    #[must_use]
    pub const fn everybodys() -> Self {
        Self(None)
    }

    /// Those that this application brought.
    #[must_use]
    pub const fn by(app: OpenAppId) -> Self {
        Self(Some(app))
    }

    /// `select` without what others brought; `app` is the column that says who did.
    #[must_use]
    pub fn only<E: EntityTrait<Column = C>, C: ColumnTrait>(self, select: Select<E>, app: C) -> Select<E> {
        match self.0 {
            Some(id) => select.filter(app.eq(id)),
            None => select,
        }
    }
    /// The same where something else in `select` finds few rows by itself, such as a key or a number: SQLite, which takes every
    /// value for rare, would look through all that the application has brought.
    #[must_use]
    pub fn only_of<E: EntityTrait<Column = C>, C: ColumnTrait>(
        self,
        backend: DbBackend,
        select: Select<E>,
        app: C,
    ) -> Select<E> {
        match self.0 {
            Some(id) => select.filter(unindexed(backend, app.as_column_ref()).eq(id.0)),
            None => select,
        }
    }
}
