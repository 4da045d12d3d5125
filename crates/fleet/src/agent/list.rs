//! Room agents and join tokens as lists and as files.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Validate};
use base::list::{Asked, AskedFile, Column, Direction, List, Order, Reader, column};
use db::{list::list_page, search};
use entity::{join_token, room_agent};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::service::{JoinTokenView, RoomAgentView, agent_views, token_views};
use crate::place::RoomPartFilter;
use crate::screens::perm;

/// A filter for room agents.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RoomAgentFilter {
    /// Part of the name, or of the address.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// This one.
    #[serde(default)]
    pub agent_id: Option<i64>,
    /// True: those that were revoked; false: those that still count.
    #[serde(default)]
    pub revoked: Option<bool>,
}

impl Validate for RoomAgentFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// Room agents, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct RoomAgents;

impl List for RoomAgents {
    type Filter = RoomAgentFilter;
    type Row = RoomAgentView;
    type Sort = room_agent::Column;
    const NAME: Text = text("机房代理", "Room agents");
    const KIND: &'static str = "roomAgent.export";
    const NEED: Need = perm::ROOM_AGENT_EXPORT;

    fn columns() -> Vec<Column<RoomAgentView, room_agent::Column>> {
        use room_agent::Column as By;
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &RoomAgentView| Some(row.id.0)),
            column("name", text("名称", "Name"), 20).sorted_by(By::Name).text(|row| &row.name),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("version", text("版本", "Version"), 10).sorted_by(By::Version).text(|row| &row.version),
            column("standing", text("协议", "Protocol"), 14).label(|row| row.standing.label()),
            column("address", text("来自", "Address"), 18).sorted_by(By::Address).text(|row| &row.address),
            column("connectedSince", text("已连接，自", "Connected since"), 20).time(|row| row.connected_since),
            column("connectedAt", text("最近连接", "Last connected"), 20)
                .sorted_by(By::ConnectedAt)
                .time(|row| row.connected_at),
            column("disconnectedAt", text("最近断开", "Last disconnected"), 20)
                .sorted_by(By::DisconnectedAt)
                .time(|row| row.disconnected_at),
            column("enrolledAt", text("接入时间", "Enrolled at"), 20)
                .sorted_by(By::EnrolledAt)
                .time(|row| Some(row.enrolled_at)),
            column("revokedAt", text("吊销时间", "Revoked at"), 20).time(|row| row.revoked_at),
            column("revokedBy", text("吊销人", "Revoked by"), 16).text(|row| &row.revoked_by),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &RoomAgentFilter,
        order: Order<room_agent::Column>,
        page: PageQuery,
    ) -> Outcome<Page<RoomAgentView>> {
        let (db, RoomAgentFilter { key_word, room_id, agent_id, revoked }) = (from.db(), filter);
        let select = room_agent::Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "room_agent", &["name", "address"], text))
            })
            .apply_if(*room_id, |select, id| select.filter(room_agent::Column::RoomId.eq(id)))
            .apply_if(*agent_id, |select, id| select.filter(room_agent::Column::Id.eq(id)))
            .apply_if(*revoked, |select, revoked| {
                let at = room_agent::Column::RevokedAt;
                select.filter(if revoked { at.is_not_null() } else { at.is_null() })
            });
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, agent_views(&from.app, db, list).await?))
    }
}

/// Join tokens, newest first by default; never the tokens themselves.
#[derive(Clone, Copy, Debug)]
pub struct JoinTokens;

impl List for JoinTokens {
    type Filter = RoomPartFilter;
    type Row = JoinTokenView;
    type Sort = join_token::Column;
    const NAME: Text = text("接入令牌", "Join tokens");
    const KIND: &'static str = "joinToken.export";
    const NEED: Need = perm::ROOM_AGENT_EXPORT;

    fn columns() -> Vec<Column<JoinTokenView, join_token::Column>> {
        use join_token::Column as By;
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &JoinTokenView| Some(row.id.0)),
            column("room", text("机房", "Room"), 24).text(|row| row.room.name()),
            column("open", text("可用", "Usable"), 8).flag(|row| row.open),
            column("createdBy", text("签发人", "Issued by"), 16).sorted_by(By::CreatedBy).text(|row| &row.created_by),
            column("createdAt", text("签发时间", "Issued at"), 20)
                .sorted_by(By::CreatedAt)
                .time(|row| Some(row.created_at)),
            column("expiresAt", text("过期时间", "Expires at"), 20)
                .sorted_by(By::ExpiresAt)
                .time(|row| Some(row.expires_at)),
            column("usedAt", text("使用时间", "Used at"), 20).sorted_by(By::UsedAt).time(|row| row.used_at),
            column("revokedAt", text("收回时间", "Revoked at"), 20).time(|row| row.revoked_at),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &RoomPartFilter,
        order: Order<join_token::Column>,
        page: PageQuery,
    ) -> Outcome<Page<JoinTokenView>> {
        let (db, RoomPartFilter { key_word, room_id }) = (from.db(), filter);
        let select = join_token::Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "join_token", &["created_by"], text))
            })
            .apply_if(*room_id, |select, id| select.filter(join_token::Column::RoomId.eq(id)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, token_views(db, list, from.app.clock.now()).await?))
    }
}

/// Lists room agents and whether they are connected, newest first by default.
#[utoipa::path(get, path = "/api/fleet/v1/agents", tag = "fleet", params(Asked<RoomAgents>),
    responses((status = 200, body = Reply<Page<RoomAgentView>>)))]
pub async fn room_agent_list(ctx: OpCtx, asked: Asked<RoomAgents>) -> ApiResult<Page<RoomAgentView>> {
    asked.answer(&ctx).await
}

/// Exports room agents as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/agents/file", tag = "fleet", params(AskedFile<RoomAgents>),
    responses(TableFile))]
pub async fn room_agent_export(ctx: OpCtx, asked: AskedFile<RoomAgents>) -> Outcome<Response> {
    asked.answer(&ctx).await
}

/// Lists join tokens, newest first by default; never the tokens themselves.
#[utoipa::path(get, path = "/api/fleet/v1/join-tokens", tag = "fleet", params(Asked<JoinTokens>),
    responses((status = 200, body = Reply<Page<JoinTokenView>>)))]
pub async fn join_token_list(ctx: OpCtx, asked: Asked<JoinTokens>) -> ApiResult<Page<JoinTokenView>> {
    asked.answer(&ctx).await
}

/// Exports join tokens as a file, never the tokens themselves; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/fleet/v1/join-tokens/file", tag = "fleet", params(AskedFile<JoinTokens>),
    responses(TableFile))]
pub async fn join_token_export(ctx: OpCtx, asked: AskedFile<JoinTokens>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
