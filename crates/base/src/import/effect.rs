//! What good rows do, and how a preview and a task tell of it.

use kernel::text::{Message, Text, text};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::row::Row;

/// Rows that are shown as they were read.
const SHOWN: usize = 10;

/// What a good row does. [`New`] is that of imports that only add records.
pub trait Effect: Send + Sync + Sized {
    /// What a preview says of the rows, besides what every preview says.
    type Found: Default + Serialize + ToSchema + Send;
    /// What a task counts. It is part of stored checkpoints.
    type Counts: Copy + Default + Serialize + DeserializeOwned + Send + Sync;
    /// Why a file is not imported of which no row acts.
    const NOTHING: Text = text("文件中没有可导入的行", "The file has no rows that can be imported");

    /// Whether it changes anything; a file is imported only if a row of it does.
    fn acts(&self) -> bool {
        true
    }

    /// Notes in a preview what the next row would do; nothing if it is bad.
    fn note(found: &mut Self::Found, row: &Row, effect: Option<&Self>);

    /// Counts what a row did.
    fn count(&self, counts: &mut Self::Counts);

    /// The result of a task; `left` rows were bad.
    fn told(counts: Self::Counts, left: i64) -> Message;
}

/// A row that adds a record.
#[derive(Clone, Debug)]
pub struct New<T>(pub T);

/// What an import that only adds records would do.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodRows {
    /// Rows that would be imported.
    pub good_rows: u32,
    /// The first rows as they were read, cell by cell in the order of `columns`.
    pub sample: Vec<Vec<String>>,
}

/// How many records were added.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Taken {
    taken: i64,
}

impl<T: Send + Sync> Effect for New<T> {
    type Found = GoodRows;
    type Counts = Taken;

    fn note(found: &mut GoodRows, row: &Row, effect: Option<&Self>) {
        found.good_rows += u32::from(effect.is_some());
        if found.sample.len() < SHOWN {
            found.sample.push(row.cells().to_vec());
        }
    }

    fn count(&self, counts: &mut Taken) {
        counts.taken += 1;
    }

    fn told(Taken { taken }: Taken, left: i64) -> Message {
        let told = text("已导入 {taken} 行，跳过 {left} 行", "Rows imported: {taken}, skipped: {left}");
        told.with("taken", taken).with("left", left)
    }
}
