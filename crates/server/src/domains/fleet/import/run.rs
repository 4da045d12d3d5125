//! Beginning what was previewed, and the task that takes the good rows.

use std::collections::HashMap;
use std::io::Write as _;
use std::str::FromStr as _;

use axum::response::Response;
use courier::ObjectKey;
use db::WriteTx;
use db::journal::Entry;
use entity::CardModelId;
use entity::card::{Lifecycle, Model};
use entity::import_file::{ActiveModel, Column, Entity};
use futures::StreamExt as _;
use kernel::text::{Message, Text, text};
use kernel::time::UtcTime;
use queue::{Creator, Job, JobCtx, JobError, Outcome as Ended};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::KIND;
use super::compare::{Effect, Target, compare};
use super::rows::{self, Field, Line};
use crate::app::App;
use crate::domains::fleet::address::plan;
use crate::domains::fleet::card::bulk::{self, NewCard};
use crate::domains::fleet::card::model::{self, ModelName};
use crate::domains::fleet::card::{service, store};
use crate::domains::fleet::state::{self, By, Change, Written};
use crate::export::TaskStarted;
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::sheet::{self, Format, Style, Table, column};

const NOT_FOUND: Text = text("导入文件不存在或已过期，请重新上传", "There is no such file any more; upload it again");
const STARTED: Text = text("该文件已经导入过，请重新上传", "This file has been imported already; upload it again");
const NOTHING: Text = text("文件中没有需要导入的行", "The file has no row that would change anything");

/// The columns of the template.
const TEMPLATE: &[sheet::Column] = &[
    column(Field::Serial.title(), 20),
    column(Field::Room.title(), 16),
    column(Field::Frame.title(), 12),
    column(Field::Slot.title(), 10),
    column(Field::Position.title(), 10),
    column(Field::IntranetIp.title(), 16),
    column(Field::AdbPort.title(), 10),
    column(Field::ExtranetIp.title(), 16),
    column(Field::ExtranetPort.title(), 10),
    column(Field::Manufacturer.title(), 16),
    column(Field::Model.title(), 16),
    column(Field::Board.title(), 12),
    column(Field::Size.title(), 12),
    column(Field::Assignable.title(), 10),
    column(Field::Overcommit.title(), 10),
    column(Field::Remark.title(), 30),
];

/// Begins the import of a file that the same operator uploaded; once.
///
/// # Errors
/// When there is no such file, it was begun before, or none of its rows would do anything.
pub async fn start(ctx: &OpCtx, id: String) -> Outcome<TaskStarted> {
    let mut tx = ctx.begin_write().await?;
    let file = Entity::find_by_id(id)
        .filter(Column::Kind.eq(KIND))
        .filter(Column::CreatedBy.eq(ctx.operator()))
        .one(&*tx)
        .await?
        .ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    if file.bad_rows >= file.total_rows {
        return Err(Fault::conflict(NOTHING));
    }
    let begin = ActiveModel { started_at: Set(Some(ctx.now())), ..Default::default() };
    let begun = Entity::update_many()
        .set(begin)
        .filter(Column::Id.eq(&file.id))
        .filter(Column::StartedAt.is_null())
        .exec(&*tx)
        .await?;
    if begun.rows_affected == 0 {
        return Err(Fault::conflict(STARTED));
    }
    let job = ImportCards {
        import_id: file.id.clone(),
        file_name: file.file_name.clone(),
        object_key: file.object_key,
        total_rows: file.total_rows,
        operator: ctx.session.username.clone(),
        ip: ctx.meta.ip.to_string(),
        request_id: ctx.meta.request_id.to_string(),
    };
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    let note = format!("{} rows, task {task}", file.total_rows - file.bad_rows);
    tx.commit(Audit::of("import").id(&file.id).name(file.file_name).note(note)).await?;
    Ok(TaskStarted { task_id: task.0 })
}

/// The table to fill in: headings only.
///
/// # Errors
/// When it can not be written.
pub async fn template(ctx: &OpCtx, format: Format) -> Outcome<Response> {
    let table: Table<()> =
        Table { name: text("设备导入模板", "Card import"), columns: TEMPLATE, row: |(), _| () };
    let none = sheet::steps(|_: Option<()>| async { Ok((Vec::new(), None)) });
    table.answer(format, Style { lang: ctx.lang(), zone: ctx.app.config.zone() }, none).await
}

/// Takes the good rows of an uploaded file, some hundred in one transaction, each with its own line in the
/// operation log. After a crash it goes on behind the last transaction that was acknowledged.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportCards {
    pub import_id: String,
    pub file_name: String,
    pub object_key: String,
    pub total_rows: i32,
    /// Who asked, from where: for the operation log.
    pub operator: String,
    pub ip: String,
    pub request_id: String,
}

/// How far the import is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Mark {
    /// The last row that was dealt with.
    row: u32,
    seen: i64,
    made: i64,
    changed: i64,
    same: i64,
    left: i64,
}

impl Job for ImportCards {
    type State = App;
    const KIND: &'static str = "card.import";

    fn title(&self) -> Message {
        text("导入设备：{name}", "Import cards: {name}").with("name", &self.file_name)
    }

    /// Two imports would only fight for the same lock.
    fn lane(&self) -> Option<String> {
        Some(Self::KIND.to_owned())
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Ended, JobError> {
        let app = ctx.state();
        let key = ObjectKey::from_str(&self.object_key).map_err(anyhow::Error::from)?;
        let file = fetch(app, &key).await?;
        let mut mark: Mark = ctx.resume()?.unwrap_or_default();
        let mut batches = rows::read(file.path().to_owned());
        while let Some(batch) = batches.recv().await {
            ctx.check()?;
            let mut lines = batch.map_err(unreadable)?.lines;
            lines.retain(|line| line.row > mark.row);
            if let Some(last) = lines.last().map(|line| line.row) {
                mark = self.take(ctx, lines, Mark { row: last, ..mark }).await?;
                ctx.progress(mark.seen, Some(i64::from(self.total_rows)));
            }
        }
        app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
        let told = text(
            "新增 {made} 台，修改 {changed} 台，未变 {same} 台，跳过 {left} 行",
            "Made {made} cards, changed {changed}, {same} as before, left out {left} rows",
        );
        let told = told.with("made", mark.made).with("changed", mark.changed);
        Ok(Ended::done().say(told.with("same", mark.same).with("left", mark.left)))
    }
}

impl ImportCards {
    /// Takes some rows in one transaction, together with the mark that says so.
    async fn take(&self, ctx: &JobCtx<App>, mut lines: Vec<Line>, mut mark: Mark) -> Result<Mark, JobError> {
        let app = ctx.state();
        let now = app.clock.now();
        mark.seen += i64::try_from(lines.len()).unwrap_or(0);
        let mut tx = app.db.begin_write().await?;
        // Looked at inside the transaction: what was so in the preview may be otherwise by now.
        let effects = compare(&*tx, &mut lines).await?;
        let (mut news, mut changes) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                Some(Effect::New(target)) => news.push(target),
                Some(Effect::Changed { before, target, .. }) => changes.push((*before, target)),
                Some(Effect::Same) => mark.same += 1,
                None => mark.left += 1,
            }
        }
        mark.made += i64::try_from(news.len()).unwrap_or(0);
        mark.changed += i64::try_from(changes.len()).unwrap_or(0);
        let by = By::operator(&self.operator);
        let (made, changed) = (news.len(), changes.len());
        let written = write(&mut tx, news, changes, &by, now).await?;
        ctx.checkpoint(&tx, &mark).await?;
        if made + changed > 0 {
            tx.record(Entry {
                at: now,
                operator_id: ctx.created_by().map(|id| id.0),
                operator_name: self.operator.clone(),
                ip: self.ip.clone(),
                action: "card_import_run".to_owned(),
                object_kind: "card".to_owned(),
                object_id: self.import_id.clone(),
                object_name: self.file_name.chars().take(256).collect(),
                after: serde_json::to_string(&serde_json::json!({ "lastRow": mark.row, "taskId": ctx.id() })).ok(),
                message: format!("{made} new, {changed} changed"),
                request_id: self.request_id.clone(),
                ..Entry::default()
            });
        }
        tx.commit().await?;
        for written in written {
            app.fleet.committed(&app.events, written);
        }
        Ok(mark)
    }
}

async fn write(
    tx: &mut WriteTx,
    news: Vec<Target>,
    changes: Vec<(Model, Target)>,
    by: &By,
    now: UtcTime,
) -> Outcome<Vec<Written>> {
    let names = news.iter().chain(changes.iter().map(|(_, target)| target)).map(|target| target.model.clone());
    let names: Vec<ModelName> = names.collect();
    let models = model::ensure(&**tx, names).await?;
    let mut done = Vec::new();
    let mut rewritten = Vec::with_capacity(changes.len());
    for (before, target) in changes {
        let after = rewrite(&before, target, &models);
        store::update_record(&**tx, &before, &after).await?;
        if (before.host_id, before.position) != (after.host_id, after.position) {
            bulk::end_stays(tx, &[before.id], now).await?;
            bulk::begin_stays(tx, &[Model { updated_at: now, ..after.clone() }], by, "").await?;
        }
        rewritten.push(Change { before, after, reason: String::new() });
    }
    done.push(state::write(tx, rewritten, by, now).await?);
    let mut rows = Vec::with_capacity(news.len());
    for target in news {
        let (host, position) = (target.place.map(|(_, host, _)| host), target.place.map(|(_, _, at)| at));
        let spot = service::spot(&**tx, target.room, host, position).await?;
        let extranet = match target.extranet {
            Some(given) => Some(given),
            None => plan::outside(&**tx, target.room, target.ip, target.port).await?,
        };
        let new = NewCard {
            serial: target.serial,
            room_id: target.room,
            place: spot.place,
            intranet_ip: target.ip,
            adb_port: target.port,
            extranet,
            model_id: models[&target.model],
            size: target.size,
            remark: target.remark,
            lifecycle: Lifecycle::Expected,
            is_assignable: target.is_assignable,
            is_overcommit: target.is_overcommit,
            inherited: spot.inherited,
        };
        rows.push(new.into_row(now));
    }
    done.push(Written::inserted(bulk::insert_many(tx, rows, by, "").await?));
    Ok(done)
}

fn rewrite(before: &Model, target: Target, models: &HashMap<ModelName, CardModelId>) -> Model {
    Model {
        serial: target.serial,
        room_id: target.room,
        frame_id: target.place.map(|(frame, _, _)| frame),
        host_id: target.place.map(|(_, host, _)| host),
        position: target.place.map(|(_, _, position)| position),
        intranet_ip: target.ip,
        adb_port: target.port,
        extranet_ip: target.extranet.map(|(ip, _)| ip),
        extranet_port: target.extranet.map(|(_, port)| port),
        model_id: models.get(&target.model).copied().unwrap_or(before.model_id),
        size: target.size,
        remark: target.remark,
        is_assignable: target.is_assignable,
        is_overcommit: target.is_overcommit,
        ..before.clone()
    }
}

/// The file, on this machine's disk.
async fn fetch(app: &App, key: &ObjectKey) -> Result<NamedTempFile, JobError> {
    let object = match app.objects.get(key).await {
        Ok(object) => object,
        Err(courier::ObjectError::NotFound(_)) => {
            return Err(JobError::hopeless(text("上传的文件已不存在", "The uploaded file is gone")));
        }
        Err(error) => return Err(anyhow::Error::from(error).into()),
    };
    let mut file = NamedTempFile::new().map_err(anyhow::Error::from)?;
    let mut pieces = object.stream;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(anyhow::Error::from)?;
        tokio::task::block_in_place(|| file.write_all(&piece)).map_err(anyhow::Error::from)?;
    }
    Ok(file)
}

/// It was readable when it was previewed, so another try will not mend it unless the disk was at fault.
fn unreadable(fault: Fault) -> JobError {
    if let Fault::WrongType(message) = fault { JobError::hopeless(message) } else { fault.into() }
}
