//! In which order a list is wanted.

use sea_orm::sea_query::NullOrdering;
use sea_orm::{EntityTrait, Iterable as _, Order, PrimaryKeyToColumn as _, QueryOrder as _, Select};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Up or down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Smallest first.
    Asc,
    /// Largest first.
    #[default]
    Desc,
}

impl From<Direction> for Order {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Asc => Self::Asc,
            Direction::Desc => Self::Desc,
        }
    }
}

/// What a list can be sorted by: the columns of its screen that stand in its own table.
pub trait SortBy: Copy {
    /// The list's table.
    type Entity: EntityTrait;

    /// The column.
    fn column(self) -> <Self::Entity as EntityTrait>::Column;
}

/// The order that is asked for; the list's usual one where nothing is asked for.
///
/// For lists that are read as they are. Those of a million rows have an order of their own, of the columns that an
/// index carries.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
pub struct Sort<K: ToSchema> {
    /// The column.
    #[param(inline)]
    pub sort: Option<K>,
    /// `asc` or `desc`, which is the default.
    #[serde(default)]
    #[param(inline)]
    pub order: Direction,
}

impl<K: SortBy + ToSchema> Sort<K> {
    /// `select` in this order; by id and `usual` where none is asked for. Rows that have no value come last, and the
    /// id makes the order total.
    #[must_use]
    pub fn apply(self, select: Select<K::Entity>, usual: Direction) -> Select<K::Entity> {
        let (mut select, mut order) = (select, Order::from(usual));
        if let Some(key) = self.sort {
            order = self.order.into();
            select = select.order_by_with_nulls(key.column(), order.clone(), NullOrdering::Last);
        }
        for key in <K::Entity as EntityTrait>::PrimaryKey::iter() {
            select = select.order_by(key.into_column(), order.clone());
        }
        select
    }
}
