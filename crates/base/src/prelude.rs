//! What every plain slice names: `use base::prelude::*`. Only what a list, a form and its calls are made of.

pub use db::list::list_page;
pub use db::search;
pub use kernel::page::{Page, PageQuery};
pub use kernel::rules::{self, Check};
pub use kernel::text::{Text, text};
pub use kernel::time::UtcTime;
pub use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
pub use serde::Deserialize;
pub use utoipa::ToSchema;
pub use utoipa_axum::routes;

pub use crate::demo;
pub use crate::domain::{Domain, Table};
pub use crate::fault::{OrMissing as _, Outcome, unique};
pub use crate::http::body::PathId;
pub use crate::http::ops::{Audit, OpCtx};
pub use crate::http::{ApiResult, DomainRouter, Need, Nothing, Reply, Valid, Validate, done, reply};
pub use crate::list::{self, Column, Direction, KeyWord, List, Order, Reader, column};
