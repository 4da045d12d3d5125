//! Images as a list and as a file.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column};
use db::{list::list_page, search};
use entity::image_known::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::service::{ImageView, views};
use crate::screens::perm;

/// A filter for images.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ImageFilter {
    /// Part of the fingerprint or the version.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// This one.
    #[serde(default)]
    pub image_id: Option<i64>,
    /// On this board.
    #[serde(default)]
    #[param(max_length = 64)]
    pub board: Option<String>,
    /// True: those with a version; false: those that nobody has adopted.
    #[serde(default)]
    pub adopted: Option<bool>,
}

impl Validate for ImageFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.optional("board", self.board.as_deref(), |text| max_chars(text, 64));
    }
}

/// Images that cards run, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Images;

impl List for Images {
    type Filter = ImageFilter;
    type Row = ImageView;
    type Sort = By;
    const NAME: Text = text("在用镜像版本", "Images in use");
    const KIND: &'static str = "systemImage.export";
    const NEED: Need = perm::SYSTEM_IMAGE_EXPORT;

    fn columns() -> Vec<Column<ImageView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &ImageView| Some(row.id.0)),
            column("fingerprint", text("指纹", "Fingerprint"), 60)
                .sorted_by(By::Fingerprint)
                .text(|row| &row.fingerprint),
            column("board", text("板卡型号", "Board"), 12).sorted_by(By::Board).text(|row| &row.board),
            column("version", text("版本", "Version"), 16).text(|row| &row.version),
            column("cards", text("安卓卡数", "Cards"), 10).number(|row| Some(row.cards)),
            column("profile", text("干净画像", "Clean profile"), 20)
                .time(|row: &ImageView| row.profile.as_ref().and_then(|profile| profile.tried_at)),
            column("adoptedAt", text("认定时间", "Adopted at"), 20).sorted_by(By::AdoptedAt).time(|row| row.adopted_at),
            column("adoptedBy", text("认定人", "Adopted by"), 16).sorted_by(By::AdoptedBy).text(|row| &row.adopted_by),
            column("foundAt", text("首次发现", "First found"), 20)
                .sorted_by(By::FoundAt)
                .time(|row| Some(row.found_at)),
        ]
    }

    async fn page(from: &Reader, filter: &ImageFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<ImageView>> {
        let (db, ImageFilter { key_word, image_id, board, adopted }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                let columns = ["fingerprint", "version"];
                select.filter(search::scan(db.get_database_backend(), "image_known", &columns, text))
            })
            .apply_if(*image_id, |select, id| select.filter(By::Id.eq(id)))
            .apply_if(board.as_deref(), |select, board| select.filter(By::Board.eq(board)))
            .apply_if(*adopted, |select, adopted| {
                select.filter(if adopted { By::AdoptedAt.is_not_null() } else { By::AdoptedAt.is_null() })
            });
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// Lists the images that cards run, newest first by default.
#[utoipa::path(get, path = "/api/fleet/v1/images", tag = "fleet", params(Asked<Images>),
    responses((status = 200, body = Reply<Page<ImageView>>)))]
pub async fn image_list(ctx: OpCtx, asked: Asked<Images>) -> ApiResult<Page<ImageView>> {
    asked.answer(&ctx).await
}

/// Exports images as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/images/file", tag = "fleet", params(AskedFile<Images>),
    responses(TableFile))]
pub async fn image_export(ctx: OpCtx, asked: AskedFile<Images>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
