//! The task that takes the good rows of a file.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::str::FromStr as _;

use courier::ObjectKey;
use db::journal::Entry;
use entity::import_file;
use kernel::lang::Lang;
use kernel::text::{Message, Text, text};
use queue::{Job, JobCtx, JobError, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::effect::Effect;
use super::judge::judge;
use super::read::read;
use super::row::Row;
use super::{Applied, Import, Importer};
use crate::app::App;
use crate::fault::Fault;
use crate::fetch::fetch;
use crate::http::ops::{Audit, OpCtx};
use crate::inspection::By;

pub(super) const GONE: Text = text("上传的文件已不存在", "The uploaded file no longer exists");

/// Takes the good rows of an uploaded file, each batch in one transaction with a line of its own in the operation log.
/// After a crash it goes on behind the last batch that was acknowledged.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportJob<I> {
    import_id: String,
    file_name: String,
    object_key: String,
    total_rows: i32,
    /// Who asked, from where: for the operation log.
    operator: String,
    ip: String,
    request_id: String,
    #[serde(skip)]
    import: PhantomData<I>,
}

/// How far the import is: its last checkpoint.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Mark<C> {
    /// The last row that was dealt with.
    row: u32,
    /// Rows that were looked at, and those of them that were skipped.
    seen: i64,
    left: i64,
    #[serde(flatten)]
    counts: C,
}

type MarkOf<I> = Mark<<<I as Import>::Effect as Effect>::Counts>;

/// What the log calls that a batch was written: the operation that began it, and its title with "rows written" for the
/// name of the file.
pub(super) fn act<I: Import>() -> (&'static str, Text) {
    let word = |lang, what: &str| &*I::TITLE.with("name", what).get(lang).leak();
    // Leaked once for each start of the program: names of acts live as long as it does.
    (action::<I>().leak(), text(word(Lang::Zh, "写入"), word(Lang::En, "rows written")))
}

fn action<I: Import>() -> String {
    format!("{}_run", I::CALLS)
}

impl<I: Import> Job for ImportJob<I> {
    type State = App;
    const KIND: &'static str = I::KIND;

    fn title(&self) -> Message {
        I::TITLE.with("name", &self.file_name)
    }

    /// Two imports would only fight for the same lock.
    fn lane(&self) -> Option<String> {
        Some(Self::KIND.to_owned())
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        let app = ctx.state();
        let key = ObjectKey::from_str(&self.object_key).map_err(anyhow::Error::from)?;
        let Some(file) = fetch(app, &key).await? else { return Err(JobError::hopeless(GONE)) };
        let mut mark: MarkOf<I> = ctx.resume()?.unwrap_or_default();
        let turn = app.inspection.turn(By::Task, &file).await?;
        let mut batches = read::<I>(&turn, &file).await.map_err(unreadable)?;
        // Tasks have lanes of their own for the rest.
        drop(turn);
        while let Some(batch) = batches.next().await {
            ctx.check()?;
            let mut rows = batch.map_err(unreadable)?.rows;
            rows.retain(|row| row.number > mark.row);
            if let Some(last) = rows.last().map(|row| row.number) {
                mark = self.take(ctx, rows, Mark { row: last, ..mark }).await?;
                ctx.progress(mark.seen, Some(i64::from(self.total_rows)));
            }
        }
        app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
        Ok(Outcome::done().say(I::Effect::told(mark.counts, mark.left)))
    }
}

impl<I: Import> ImportJob<I> {
    /// The task for a file that `ctx` asks to import.
    pub(super) fn of(ctx: &OpCtx, file: import_file::Model) -> Self {
        let import_file::Model { id: import_id, file_name, object_key, total_rows, .. } = file;
        let operator = ctx.session.username.clone();
        let (ip, request_id) = (ctx.meta.ip.to_string(), ctx.meta.request_id.to_string());
        Self { import_id, file_name, object_key, total_rows, operator, ip, request_id, import: PhantomData }
    }

    /// Takes some rows in one transaction, together with the mark that says so.
    async fn take(&self, ctx: &JobCtx<App>, mut rows: Vec<Row>, mut mark: MarkOf<I>) -> Result<MarkOf<I>, JobError> {
        let app = ctx.state();
        let now = app.clock.now();
        let mut tx = app.db.begin_write().await?;
        let mut effects = Vec::with_capacity(rows.len());
        for effect in judge::<I>(app, &*tx, &mut rows).await? {
            mark.seen += 1;
            match effect {
                Some(effect) => {
                    effect.count(&mut mark.counts);
                    effects.push(effect);
                }
                None => mark.left += 1,
            }
        }
        effects.retain(Effect::acts);
        let mut then = None;
        if !effects.is_empty() {
            let by = Importer { app, name: &self.operator, ip: &self.ip, now };
            let Applied { note, facts, ids, then: next } = I::apply(&mut tx, &by, effects).await?;
            let place = [("lastRow", json!(mark.row)), ("taskId", json!(ctx.id()))];
            let after: BTreeMap<&str, Value> = facts.into_iter().chain(place).collect();
            let audit =
                Audit::of(I::OF).id(&self.import_id).name(&self.file_name).after(&after).note(note).with(I::OF, ids);
            tx.record(audit.fill(Entry {
                at: now,
                operator_id: ctx.created_by().map(|id| id.0),
                operator_name: self.operator.clone(),
                ip: self.ip.clone(),
                action: action::<I>(),
                request_id: self.request_id.clone(),
                ..Entry::default()
            }));
            then = next;
        }
        ctx.checkpoint(&tx, &mark).await?;
        tx.commit().await?;
        if let Some(then) = then {
            then(app);
        }
        Ok(mark)
    }
}

/// The rule that a file breaks: another try will not mend it. Whatever else went wrong is ours, and passes.
fn unreadable(fault: Fault) -> JobError {
    if let Fault::Invalid(errors) = &fault
        && let Some(error) = errors.first()
    {
        return JobError::hopeless(error.violation.sentence());
    }
    if let Fault::WrongType(message) = fault { JobError::hopeless(message) } else { fault.into() }
}

#[cfg(test)]
mod tests {
    use super::{ImportJob, Mark};
    use crate::import::effect::Taken;

    /// Tasks are kept over an upgrade: neither form may change.
    #[test]
    fn a_task_and_its_checkpoint_are_read_as_they_were_stored() -> serde_json::Result<()> {
        let task = r#"{"import_id":"i","file_name":"a.csv","object_key":"import/k","total_rows":2,"operator":"clerk","ip":"::1","request_id":"r"}"#;
        let job: ImportJob<()> = serde_json::from_str(task)?;
        assert_eq!(serde_json::to_string(&job)?, task);
        let mark = r#"{"row":5,"seen":4,"left":1,"taken":3}"#;
        let known: Mark<Taken> = serde_json::from_str(mark)?;
        assert_eq!(serde_json::to_string(&known)?, mark);
        Ok(())
    }
}
