//! Uploaded files that nobody imported, or that were imported long ago, go.

use std::str::FromStr as _;

use courier::ObjectKey;
use entity::import_file::{Column, Entity, Model};
use kernel::text::{Message, text};
use queue::{Job, JobCtx, JobError, Outcome};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

use crate::app::App;

/// Hours that an uploaded file waits. Longer than any import runs.
const KEPT_HOURS: i64 = 72;
/// Files removed in one transaction.
const STEP: u64 = 200;

/// Removes them, those of all imports. Safe to run twice: what is gone is gone.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneImports {}

impl Job for PruneImports {
    type State = App;
    // Stored with tasks since there was one import.
    const KIND: &'static str = "clientUser.pruneImports";

    fn title(&self) -> Message {
        text("清理过期的导入文件", "Remove expired import files").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        let app = ctx.state();
        let before = app.clock.now().plus_seconds(-KEPT_HOURS * 3600);
        let mut removed = 0;
        loop {
            ctx.check()?;
            let old: Vec<Model> = Entity::find()
                .filter(Column::CreatedAt.lt(before))
                .order_by_asc(Column::Id)
                .limit(STEP)
                .all(app.db.read())
                .await?;
            if old.is_empty() {
                return Ok(Outcome::done().say(text("已清理 {n} 个文件", "Files removed: {n}").with("n", removed)));
            }
            // The file first: a row without its file says so, a file without its row would stay for ever.
            for key in old.iter().filter_map(|file| ObjectKey::from_str(&file.object_key).ok()) {
                app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
            }
            let tx = app.db.begin_write().await?;
            let ids = old.into_iter().map(|file| file.id);
            removed += Entity::delete_many().filter(Column::Id.is_in(ids)).exec(&*tx).await?.rows_affected;
            tx.commit().await?;
        }
    }
}
