//! The task that takes the good rows of a file.

use std::io::Write as _;
use std::str::FromStr as _;

use courier::ObjectKey;
use db::journal::Entry;
use entity::client_user::{ClientType, LoginMethod, Status};
use futures::StreamExt as _;
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError, Outcome};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::super::bulk::{NewClientUser, insert_many};
use super::super::service::{ClientUserInput, new_ident_code};
use super::rows::{self, Line};
use crate::app::App;
use crate::fault::Fault;

/// Takes the good rows of an uploaded file, a thousand in one transaction, each with its own line in the
/// operation log. After a crash it goes on behind the last transaction that was acknowledged.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportClientUsers {
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
    /// Rows that were looked at, taken, and left out.
    seen: i64,
    taken: i64,
    left: i64,
}

impl Job for ImportClientUsers {
    type State = App;
    const KIND: &'static str = "clientUser.import";

    fn title(&self) -> Message {
        text("导入客户端用户：{name}", "Import client users: {name}").with("name", &self.file_name)
    }

    /// Two imports would only fight for the same lock.
    fn lane(&self) -> Option<String> {
        Some(Self::KIND.to_owned())
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
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
                self.take(ctx, lines, last, &mut mark).await?;
                ctx.progress(mark.seen, Some(i64::from(self.total_rows)));
            }
        }
        app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
        let told = text("已导入 {taken} 行，跳过 {left} 行", "Imported {taken} rows, left out {left}");
        Ok(Outcome::done().say(told.with("taken", mark.taken).with("left", mark.left)))
    }
}

impl ImportClientUsers {
    /// Takes some rows in one transaction, together with the mark that says so.
    async fn take(&self, ctx: &JobCtx<App>, mut lines: Vec<Line>, last: u32, mark: &mut Mark) -> Result<(), JobError> {
        let app = ctx.state();
        let now = app.clock.now();
        let seen = i64::try_from(lines.len()).unwrap_or(0);
        let mut tx = app.db.begin_write().await?;
        // Looked at inside the transaction: what was free in the preview may be taken by now.
        rows::note_taken(&*tx, &mut lines).await?;
        let good: Vec<NewClientUser> = lines
            .into_iter()
            .filter(|line| line.problems.is_empty())
            .map(|line| new_customer(line.input, &self.ip, now))
            .collect();
        let taken = i64::try_from(good.len()).unwrap_or(0);
        let next =
            Mark { row: last, seen: mark.seen + seen, taken: mark.taken + taken, left: mark.left + seen - taken };
        let made = insert_many(&mut tx, good, now).await.map_err(|fault| anyhow::anyhow!("import rows: {fault:?}"))?;
        ctx.checkpoint(&tx, &next).await?;
        if let (Some(first), Some(last)) = (made.first(), made.last()) {
            tx.record(Entry {
                at: now,
                operator_id: ctx.created_by().map(|id| id.0),
                operator_name: self.operator.clone(),
                ip: self.ip.clone(),
                action: "client_user_import_run".to_owned(),
                object_kind: "clientUser".to_owned(),
                object_id: self.import_id.clone(),
                object_name: self.file_name.chars().take(256).collect(),
                after: serde_json::to_string(
                    &serde_json::json!({ "firstId": first.id, "lastId": last.id, "taskId": ctx.id() }),
                )
                .ok(),
                message: format!("{taken} rows"),
                request_id: self.request_id.clone(),
                ..Entry::default()
            });
        }
        tx.commit().await?;
        *mark = next;
        Ok(())
    }
}

fn new_customer(input: ClientUserInput, ip: &str, now: UtcTime) -> NewClientUser {
    let ClientUserInput { name, phone, email, ident_code, remark } = input;
    NewClientUser {
        name,
        phone,
        email,
        ident_code: if ident_code.is_empty() { new_ident_code() } else { ident_code },
        login_method: LoginMethod::Guest,
        device_name: String::new(),
        register_ip: ip.to_owned(),
        client_type: ClientType::Web,
        client_version: String::new(),
        status: Status::Active,
        star_coins: 0,
        phone_count: 0,
        remark,
        registered_at: now,
        last_login_at: None,
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
    match fault {
        Fault::Internal(error) | Fault::Unavailable(error) => error.into(),
        Fault::WrongType(message) => JobError::hopeless(message),
        other @ (Fault::Invalid(_)
        | Fault::NotFound(_)
        | Fault::Conflict(_)
        | Fault::Taken { .. }
        | Fault::Status { .. }
        | Fault::Session(_)
        | Fault::Denied(_)
        | Fault::TooMany { .. }
        | Fault::TooLarge
        | Fault::NoRoute) => anyhow::anyhow!("{other:?}").into(),
    }
}
