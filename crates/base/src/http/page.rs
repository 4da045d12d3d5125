//! The requested page, under all the names that clients use.

use kernel::coded::optional_number;
use kernel::page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageQuery};
use kernel::rules::{Check, Violation};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::fault::Outcome;

/// The page part of a request, in a query string or in a body.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PageInput {
    /// The page's number, from 1.
    #[serde(default, deserialize_with = "optional_number")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    #[param(value_type = Option<u64>, minimum = 1)]
    pub page_num: Option<i64>,
    /// The same, under a name that some clients use.
    #[serde(default, deserialize_with = "optional_number")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    #[param(value_type = Option<u64>, minimum = 1)]
    pub page: Option<i64>,
    /// The same, under another name.
    #[serde(default, deserialize_with = "optional_number")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    #[param(value_type = Option<u64>, minimum = 1)]
    pub page_index: Option<i64>,
    /// Rows on a page, 1 to 500; 20 if omitted.
    #[serde(default, deserialize_with = "optional_number")]
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 500)]
    #[param(value_type = Option<u64>, minimum = 1, maximum = 500)]
    pub page_size: Option<i64>,
}

impl PageInput {
    /// The requested page.
    ///
    /// # Errors
    /// When a number is out of range; nothing is clamped, since a clamped page shows the wrong rows.
    pub fn get(self) -> Outcome<PageQuery> {
        let mut check = Check::new();
        let (field, number) = [("pageNum", self.page_num), ("page", self.page), ("pageIndex", self.page_index)]
            .into_iter()
            .find_map(|(field, number)| number.map(|number| (field, number)))
            .unwrap_or(("pageNum", 1));
        let page_num = within(&mut check, field, number, i64::from(i32::MAX));
        let size = self.page_size.unwrap_or(DEFAULT_PAGE_SIZE.cast_signed());
        let page_size = within(&mut check, "pageSize", size, MAX_PAGE_SIZE.cast_signed());
        check.finish()?;
        Ok(PageQuery { page_num, page_size })
    }
}

fn within(check: &mut Check, field: &'static str, number: i64, max: i64) -> u64 {
    if !(1..=max).contains(&number) {
        check.add(field, Violation::new("integer.range").with("min", 1).with("max", max));
    }
    number.unsigned_abs()
}
