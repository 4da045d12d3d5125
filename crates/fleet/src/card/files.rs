//! The folders of a card, read through the room agent.

use std::time::Duration;

use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, reply};
use entity::CardId;
use kernel::rules::Violation;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wire::{Console, FolderLook, Reason, Told};

use super::look::{self, Look};
use super::service;
use crate::agent::connections::Connections;
use crate::agent::connections::FromCard;
use crate::reasons;

/// The agent gives up after 15 s; its answer needs a moment.
const PATIENCE: Duration = Duration::from_secs(20);

/// The year 10000: no card has a file of it.
const LATEST: i64 = 253_402_300_800;

const NO_ANSWER: Text = text("设备未能列出该目录：{code}", "The card could not list the folder: {code}");

/// The requested folder.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FolderQuery {
    /// An absolute path on the card, such as `/sdcard/Download`.
    #[param(min_length = 1, max_length = 1024)]
    pub path: String,
}

/// The content of a folder of a card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardFolder {
    /// The requested folder.
    pub path: String,
    /// Folders first, then by name; 2,000 at most.
    pub entries: Vec<CardFile>,
    /// There are more entries.
    pub is_cut: bool,
}

/// A file or a folder of a card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardFile {
    pub name: String,
    pub kind: CardFileKind,
    /// Bytes.
    pub size: i64,
    /// By the card's clock; null if it has no valid one.
    pub modified_at: Option<UtcTime>,
}

/// What is in a folder.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CardFileKind {
    Folder,
    /// To a file, to a folder or to nothing: only following it shows which.
    Link,
    File,
    /// A device, a socket, a pipe.
    Other,
}

impl From<wire::FolderEntry> for CardFile {
    fn from(told: wire::FolderEntry) -> Self {
        let kind = match told.kind {
            wire::EntryKind::Folder => CardFileKind::Folder,
            wire::EntryKind::Link => CardFileKind::Link,
            wire::EntryKind::File => CardFileKind::File,
            wire::EntryKind::Other => CardFileKind::Other,
        };
        Self {
            name: told.name,
            kind,
            size: i64::try_from(told.size).unwrap_or(i64::MAX),
            modified_at: (1..LATEST).contains(&told.modified).then(|| UtcTime(told.modified * 1000)),
        }
    }
}

async fn files(ctx: &OpCtx, id: CardId, path: &str) -> Outcome<CardFolder> {
    if adb::DevicePath::new(path).is_err() {
        return Err(Fault::field("path", Violation::new("path.absolute")));
    }
    let row = service::standing(ctx.read(), id).await?;
    look::begins(ctx, id, ctx.now(), Look::Files).await?;
    let address = row.adb_address();
    let question = |stream| Console::FolderLook { stream, address, serial: row.serial, path: path.to_owned() };
    let answer = ctx.app.part::<Connections>().ask(row.room_id, PATIENCE, question).await?;
    let code = match answer {
        FromCard::Folder(FolderLook::Seen { entries, is_cut }) => {
            let entries = entries.into_iter().map(CardFile::from).collect();
            return Ok(CardFolder { path: path.to_owned(), entries, is_cut });
        }
        FromCard::Folder(FolderLook::Failed { code, .. }) => code,
        FromCard::Opened
        | FromCard::Bytes(_)
        | FromCard::Ended { .. }
        | FromCard::Bmc(_)
        | FromCard::Store(_)
        | FromCard::Copy(_) => Reason::AdbProtocol.into(),
    };
    Err(match code {
        Told::Known(reason @ Reason::NoSuchFile) => Fault::not_found(reasons::text_of(reason)),
        Told::Known(reason) => Fault::conflict(reasons::text_of(reason)),
        Told::Other(code) => Fault::conflict(NO_ANSWER.with("code", code.chars().take(64).collect::<String>())),
    })
}

/// Lists a folder of a card. Where a customer's phone is on it `phone:files` is needed as well, and the look is written to the operation log. 404 if nothing exists at the path; 409 if the card or its agent does not answer.
#[utoipa::path(get, path = "/api/fleet/v1/cards/{id}/files", tag = "fleet",
    params(("id" = i64, Path, description = "The card's id"), FolderQuery),
    responses((status = 200, body = Reply<CardFolder>)))]
pub async fn card_files(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(query): Params<FolderQuery>,
) -> ApiResult<CardFolder> {
    reply(files(&ctx, CardId(id), &query.path).await?)
}
