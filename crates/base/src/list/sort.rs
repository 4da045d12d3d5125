//! In which order a list is wanted.

use std::fmt;

use sea_orm::sea_query::NullOrdering;
use sea_orm::{ColumnTrait, EntityTrait, Iterable as _, PrimaryKeyToColumn as _, QueryOrder as _, Select};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::List;

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

impl From<Direction> for sea_orm::Order {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Asc => Self::Asc,
            Direction::Desc => Self::Desc,
        }
    }
}

/// The order that a caller asks for, by the names of columns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Sort<L: List> {
    /// The column; the list's usual order where it is left out.
    #[serde(default)]
    pub sort: Option<SortKey<L>>,
    /// `asc` or `desc`, which is the default.
    #[serde(default)]
    pub order: Direction,
}

impl<L: List> Default for Sort<L> {
    fn default() -> Self {
        Self { sort: None, order: Direction::default() }
    }
}

impl<L: List> Sort<L> {
    /// What it means for the rows.
    #[must_use]
    pub fn get(self) -> Order<L::Sort> {
        Order { by: self.sort.map(|key| key.by), direction: self.order }
    }
}

impl<L: List> IntoParams for Sort<L> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let parameter = |name: &str, schema: RefOr<Schema>, description: &str| {
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
            parameter.required(Required::False).description(Some(description)).schema(Some(schema)).build()
        };
        if L::columns().iter().all(|column| column.sort.is_none()) {
            return Vec::new();
        }
        vec![
            parameter("sort", SortKey::<L>::schema(), "The column; the list's usual order where it is left out."),
            parameter("order", Direction::schema(), "`asc` or `desc`, which is the default."),
        ]
    }
}

impl<L: List> PartialSchema for Sort<L> {
    fn schema() -> RefOr<Schema> {
        let sorted = Object::builder().property("sort", SortKey::<L>::schema()).property("order", Direction::schema());
        RefOr::T(Schema::Object(sorted.build()))
    }
}

/// A column that a list can be sorted by, by its key.
pub struct SortKey<L: List> {
    key: &'static str,
    by: L::Sort,
}

impl<L: List> Clone for SortKey<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: List> Copy for SortKey<L> {}

impl<L: List> fmt::Debug for SortKey<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)
    }
}

impl<L: List> Serialize for SortKey<L> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.key)
    }
}

impl<'de, L: List> Deserialize<'de> for SortKey<L> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let found = L::columns().into_iter().find(|column| column.key == name);
        let by = found.and_then(|column| Some(Self { key: column.key, by: column.sort? }));
        by.ok_or_else(|| serde::de::Error::custom("the list is not sorted by this"))
    }
}

impl<L: List> PartialSchema for SortKey<L> {
    fn schema() -> RefOr<Schema> {
        let keys: Vec<&str> = L::columns().iter().filter(|column| column.sort.is_some()).map(|one| one.key).collect();
        let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(keys));
        RefOr::T(Schema::Object(schema.build()))
    }
}

/// The order of rows. Lists of a million rows sort by what an index carries; the others by any column of their table.
#[derive(Clone, Copy, Debug)]
pub struct Order<S> {
    /// What they are sorted by; as the list usually is where nothing is asked for.
    pub by: Option<S>,
    /// Which way.
    pub direction: Direction,
}

impl<C: ColumnTrait> Order<C> {
    /// `select` in this order; by id and `usual` where none is asked for. Rows that have no value come last, and the
    /// id makes the order total.
    #[must_use]
    pub fn apply<E: EntityTrait<Column = C>>(self, select: Select<E>, usual: Direction) -> Select<E> {
        let (mut select, mut order) = (select, sea_orm::Order::from(usual));
        if let Some(column) = self.by {
            order = self.direction.into();
            // Where all have one, PostgreSQL would find no index that says so.
            select = if column.def().is_null() {
                select.order_by_with_nulls(column, order.clone(), NullOrdering::Last)
            } else {
                select.order_by(column, order.clone())
            };
        }
        for key in E::PrimaryKey::iter() {
            select = select.order_by(key.into_column(), order.clone());
        }
        select
    }
}
