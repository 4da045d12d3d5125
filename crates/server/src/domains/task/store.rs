//! The list of tasks.

use db::list::list_page;
use db::search::escape_like;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::time::UtcTime;
use queue::TaskState;
use queue::task::{Column, Entity, Model};
use sea_orm::sea_query::{Expr, ExprTrait as _, Func, LikeExpr};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::api::StateName;
use crate::http::{Direction, Sort, SortBy};

/// Which tasks are wanted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct TaskFilter {
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[param(inline)]
    pub state: Option<StateName>,
    /// Such as `clientUser.import`.
    pub kind: Option<String>,
    /// A part of the title or of the name of who asked for it.
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Asked for at this time or later.
    pub start_time: Option<UtcTime>,
    /// Asked for at this time or earlier.
    pub end_time: Option<UtcTime>,
}

impl TaskFilter {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        check.optional("kind", self.kind.as_deref(), |text| max_chars(text, 64));
        check.optional("keyWord", self.key_word.as_deref(), |text| max_chars(text, 64));
    }
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TaskBy {
    State,
    CreatedBy,
    CreatedAt,
    StartedAt,
    FinishedAt,
}

impl SortBy for TaskBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::State => Column::State,
            Self::CreatedBy => Column::CreatedByName,
            Self::CreatedAt => Column::CreatedAt,
            Self::StartedAt => Column::StartedAt,
            Self::FinishedAt => Column::FinishedAt,
        }
    }
}

pub(super) async fn list(
    db: &impl ConnectionTrait,
    filter: &TaskFilter,
    sort: Sort<TaskBy>,
    page: PageQuery,
) -> Result<Page<Model>, DbErr> {
    let TaskFilter { state, kind, key_word, start_time, end_time } = filter;
    let mut select = Entity::find();
    if let Some(state) = state {
        select = select.filter(Column::State.eq(TaskState::from(*state)));
    }
    if let Some(kind) = kind {
        select = select.filter(Column::Kind.eq(kind.as_str()));
    }
    if let Some(text) = key_word {
        let pattern = || LikeExpr::new(format!("%{}%", escape_like(&text.to_lowercase()))).escape('\\');
        let contains = |column: Column| Expr::expr(Func::lower(Expr::col((Entity, column)))).like(pattern());
        select = select.filter(contains(Column::Title).or(contains(Column::CreatedByName)));
    }
    if let Some(from) = start_time {
        select = select.filter(Column::CreatedAt.gte(*from));
    }
    if let Some(to) = end_time {
        select = select.filter(Column::CreatedAt.lte(*to));
    }
    // The ids are UUIDv7: newest first is the order of the key.
    list_page(db, sort.apply(select, Direction::Desc), page).await
}
