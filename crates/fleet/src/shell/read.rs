//! The record of a shell as text, for people: control characters are made visible.

use std::convert::Infallible;
use std::fmt::Write as _;

use axum::response::Response;
use base::export::{FormatQuery, TableFile, export};
use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Params, Reply, Validate, reply};
use base::list::{Column, List, Order, Query, Reader, Sort, column, file_column};
use entity::{ShellId, shell_chunk};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::record;

/// Input of a shell that arrived together.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellChunkView {
    /// Its number in the record, from 1 and without a gap.
    pub id: i64,
    pub at: UtcTime,
    /// The number of bytes.
    pub bytes: u64,
    /// As text: control characters as their symbols (␛, ␍, ␡), invisible ones as `\u{200b}`, and bytes that are not
    /// UTF-8 as `\x80`.
    pub text: String,
    /// The raw bytes, for files.
    #[serde(skip)]
    raw: Vec<u8>,
}

impl From<shell_chunk::Model> for ShellChunkView {
    fn from(row: shell_chunk::Model) -> Self {
        let shell_chunk::Model { shell_id: _, number, at, bytes } = row;
        Self { id: number, at, bytes: bytes.len() as u64, text: visible(&bytes), raw: bytes }
    }
}

/// Nothing in the result moves a cursor, changes the direction of writing or is hidden.
fn visible(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        for c in piece.valid().chars() {
            match c {
                '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
                '\u{7f}' => shown.push('\u{2421}'),
                c if c.is_control() || is_hidden(c) => shown.extend(c.escape_unicode()),
                c => shown.push(c),
            }
        }
        for byte in piece.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Direction marks, zero-width characters, annotations, and tags.
const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The record of a shell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChunksOf {
    shell: ShellId,
}

impl Validate for ChunksOf {
    fn check(&self, _: &mut Check) {}
}

/// The input of a shell, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct ShellChunks;

impl List for ShellChunks {
    type Filter = ChunksOf;
    type Row = ShellChunkView;
    type Sort = Infallible;
    const NAME: Text = text("终端输入记录", "Shell input");
    const KIND: &'static str = "shellRecord.export";
    const NEED: Need = base::perm::OPERATION_LOG_EXPORT;

    fn columns() -> Vec<Column<ShellChunkView, Infallible>> {
        vec![
            column("id", text("序号", "Number"), 10).number(|row: &ShellChunkView| Some(row.id)),
            column("at", text("时间", "Time"), 20).time(|row| Some(row.at)),
            column("bytes", text("字节数", "Bytes"), 10).number(|row| i64::try_from(row.bytes).ok()),
            column("text", text("输入", "Input"), 60).text(|row| &row.text),
            file_column(text("原始字节（十六进制）", "Raw bytes (hexadecimal)"), 60).words(|row| hex::encode(&row.raw)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &ChunksOf,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<ShellChunkView>> {
        Ok(record::page(from.db(), filter.shell, page).await?.map(ShellChunkView::from))
    }
}

/// Lists the input of a shell on a card, oldest first. The operation log entry that closes the shell refers to the
/// record.
#[utoipa::path(get, path = "/api/fleet/v1/shell-records/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The record's id"), PageInput),
    responses((status = 200, body = Reply<Page<ShellChunkView>>)))]
pub async fn shell_record_list(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<ShellChunkView>> {
    reply(record::page(ctx.read(), ShellId(id), page.get()?).await?.map(ShellChunkView::from))
}

/// Exports the input of a shell as a file, with the raw bytes; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/shell-records/{id}/file", tag = "fleet",
    params(("id" = i64, Path, description = "The record's id"), FormatQuery), responses(TableFile))]
pub async fn shell_record_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(file): Params<FormatQuery>,
) -> Outcome<Response> {
    let query = Query::<ShellChunks> { filter: ChunksOf { shell: ShellId(id) }, sort: Sort::default() };
    export(&ctx, query, file.format).await
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_that_was_typed_hides_itself() {
        for (typed, shown) in [
            (&b"ls -l\r"[..], "ls -l\u{240d}"),
            (b"rm x\x7f\x08\x15\x1b[A\0\t\n", "rm x\u{2421}\u{2408}\u{2415}\u{241b}[A\u{2400}\u{2409}\u{240a}"),
            ("重启\u{202e}x\u{200b}\u{85}\u{feff}".as_bytes(), "重启\\u{202e}x\\u{200b}\\u{85}\\u{feff}"),
            (b"a\xff\xe9\x87b", "a\\xff\\xe9\\x87b"),
            (b"", ""),
        ] {
            assert_eq!(visible(typed), shown);
        }
    }
}
