//! Pages of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The largest page that is served; a larger one is refused.
pub const MAX_PAGE_SIZE: u64 = 500;
/// The default page size.
pub const DEFAULT_PAGE_SIZE: u64 = 20;

/// The requested page of a list. Numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageQuery {
    /// 1 is the first page.
    pub page_num: u64,
    /// Rows on a page, 1 to [`MAX_PAGE_SIZE`].
    pub page_size: u64,
}

impl PageQuery {
    /// Rows before the first row of this page.
    #[must_use]
    pub const fn offset(self) -> u64 {
        (self.page_num - 1).saturating_mul(self.page_size)
    }
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { page_num: 1, page_size: DEFAULT_PAGE_SIZE }
    }
}

/// One page of a list and the exact total number of rows.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows of this page.
    pub list: Vec<T>,
    /// Rows on all pages.
    pub total: u64,
    /// The page's number, from 1.
    pub page_num: u64,
    /// Requested rows; the last page may have fewer.
    pub page_size: u64,
}

impl<T> Page<T> {
    /// `list` as the answer to `query`.
    #[must_use]
    pub const fn new(query: PageQuery, total: u64, list: Vec<T>) -> Self {
        Self { list, total, page_num: query.page_num, page_size: query.page_size }
    }

    /// The same page with every row converted.
    #[must_use]
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> Page<U> {
        let Self { list, total, page_num, page_size } = self;
        Page { list: list.into_iter().map(turn).collect(), total, page_num, page_size }
    }
}
