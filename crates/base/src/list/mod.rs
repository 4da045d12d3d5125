//! A list, written once: its rows, its columns, what it is filtered and sorted by, and who may have it as a file.
//!
//! A screen asks for a page by [`Asked`] (or [`PageOf`], where the question is a body) and for a file by [`AskedFile`];
//! the labels of its columns stand in the API document, from which the console has them.

mod asked;
mod calls;
pub(crate) mod column;
mod selection;
mod sort;

use std::pin::pin;

use db::Reads;
use kernel::lang::Lang;
use kernel::page::{MAX_PAGE_SIZE, Page, PageQuery};
use kernel::rules::Check;
use kernel::text::Text;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{OpenApi, RefOr, Schema};

pub use asked::{Asked, AskedFile, KeyWord, PageOf};
pub use calls::Calls;
pub use column::{Column, Heading, column, created_at, file_column, updated_at};
pub use selection::{Selection, next_of};
pub use sort::{Direction, Order, Sort, SortKey};

use crate::access::need::JobNeeds;
use crate::app::App;
use crate::domain::Jobs;
use crate::export::ExportJob;
use crate::fault::Outcome;
use crate::http::ops::OpCtx;
use crate::http::{Need, Validate};
use crate::sheet::{self, Cells, Steps, Table};

/// A list. It is implemented for a type that names it and holds nothing: `pub struct Frames;`.
pub trait List: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// Which rows are wanted.
    type Filter: Validate + Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// A row, as screens show it.
    type Row: ToSchema + Send + 'static;
    /// What it is sorted by: the columns of its table, or a few of them that an index carries.
    type Sort: Copy + std::fmt::Debug + Send + Sync + 'static;
    /// What it is called: the name of its file.
    const NAME: Text;
    /// The name of the background task that makes a long file; never to be changed.
    const KIND: &'static str;
    /// Whether its file is in the order that is asked for. A file of a million rows follows the key instead, so that it
    /// can be read on from the last row.
    const SORTED_FILE: bool = true;
    /// What whoever wants it as a file needs.
    const NEED: Need;
    /// What whoever retries that task or downloads what it has made needs: more than to ask, if its rows tell more.
    const NEEDS: JobNeeds = JobNeeds { needs: &[Self::NEED], makes_file: true };

    /// Its columns, from left to right.
    fn columns() -> Vec<Column<Self::Row, Self::Sort>>;

    /// One page, and how many rows there are.
    fn page(
        from: &Reader,
        filter: &Self::Filter,
        order: Order<Self::Sort>,
        page: PageQuery,
    ) -> impl Future<Output = Outcome<Page<Self::Row>>> + Send;

    /// How many rows there are.
    fn total(from: &Reader, query: &Query<Self>) -> impl Future<Output = Outcome<u64>> + Send {
        async { Ok(query.page(from, PageQuery { page_num: 1, page_size: 1 }).await?.total) }
    }

    /// All rows, read while they are written. Read page by page, which is right for thousands of rows; a list of
    /// millions reads on from the last row instead.
    fn rows(from: Reader, query: Query<Self>) -> impl Future<Output = Outcome<Steps<Self::Row>>> + Send {
        async {
            Ok(sheet::steps(move |read: Option<u64>| {
                let (from, query) = (from.clone(), query.clone());
                async move {
                    let page_num = read.unwrap_or(0) + 1;
                    let page = PageQuery { page_num, page_size: MAX_PAGE_SIZE };
                    let Page { list, total, .. } = query.page(&from, page).await?;
                    Ok((list, (page_num * MAX_PAGE_SIZE < total).then_some(page_num)))
                }
            }))
        }
    }
}

/// What rows are read from, and the language of those that hold words.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The program.
    pub app: App,
    /// The reader's language.
    pub lang: Lang,
}

impl Reader {
    /// What a caller reads with.
    #[must_use]
    pub fn of(ctx: &OpCtx) -> Self {
        Self { app: ctx.app.clone(), lang: ctx.lang() }
    }

    /// The database.
    #[must_use]
    pub fn db(&self) -> &Reads {
        self.app.db.read()
    }

    /// The same for kept counters, and for what the rows of a page refer to by numbers.
    #[must_use]
    pub fn lookups(&self) -> &Reads {
        self.app.db.lookups()
    }
}

/// Which rows are wanted, and in which order: what is kept of a file that waits for its turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Query<L: List> {
    /// Which of them.
    pub filter: L::Filter,
    /// In which order.
    #[serde(flatten)]
    pub sort: Sort<L>,
}

impl<L: List> Query<L> {
    /// One page, and how many rows there are.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn page(&self, from: &Reader, page: PageQuery) -> Outcome<Page<L::Row>> {
        from.app.db.health().in_time(pin!(L::page(from, &self.filter, self.sort.get(), page))).await
    }

    /// This question, if it is valid.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn checked(self) -> Outcome<Self> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        check.finish()?;
        Ok(self)
    }
}

/// The list as a table of a file.
#[must_use]
pub fn table<L: List>() -> Table<L::Row> {
    let columns = L::columns();
    let headings = columns.iter().map(|one| sheet::column(one.label, one.width)).collect();
    let row = move |row: &L::Row, to: &mut dyn Cells| columns.iter().for_each(|column| column.write(row, to));
    Table { name: L::NAME, columns: headings, row: Box::new(row) }
}

/// A list, as a domain hands it over.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of the task that makes a long file of it, which no other list has.
    pub kind: &'static str,
    /// Adds that task.
    pub job: fn(Jobs) -> Jobs,
    /// Writes the labels of its columns at the fields of its rows.
    pub label: fn(&mut OpenApi),
}

/// The list `L`.
#[must_use]
pub const fn entry<L: List>() -> Entry {
    Entry { kind: L::KIND, job: |jobs| jobs.asked::<ExportJob<L>>(L::NEEDS), label: label::<L> }
}

fn label<L: List>(document: &mut OpenApi) {
    let labels = L::columns().into_iter().filter(|column| !column.key.is_empty());
    let labels: Map<String, Value> =
        labels.map(|Column { key, label, .. }| (key.to_owned(), json!([label.zh, label.en]))).collect();
    let schemas = document.components.as_mut().map(|components| &mut components.schemas);
    let extensions = match schemas.and_then(|schemas| schemas.get_mut(L::Row::name().as_ref())) {
        Some(RefOr::T(Schema::Object(row))) => &mut row.extensions,
        Some(RefOr::T(Schema::AllOf(row))) => &mut row.extensions,
        _ => panic!("the rows of {} are not in the document", L::KIND),
    };
    extensions.get_or_insert_default().insert("x-labels".to_owned(), Value::Object(labels));
}
