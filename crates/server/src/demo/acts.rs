//! Some operation log entries, written like all others: by calling the server.

use std::time::Duration;

use axum::body::Body;
use base::access::session::{hash, new_token};
use base::app::App;
use entity::operator_sign_in::SignInMethod;
use entity::session::EndReason;
use entity::{OperatorId, SessionId, client_user, logout_request, phone, session};
use http::{Method, Request, StatusCode, header};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::company::Staff;
use crate::router;

/// A busy database is asked so often, with so long between.
const TRIES: u32 = 60;
const PAUSE: Duration = Duration::from_secs(5);

/// Simulates a day's work of the demo company's staff.
pub async fn perform(app: &App, staff: &Staff) -> anyhow::Result<()> {
    let newest = client_user::Entity::find()
        .filter(client_user::Column::Status.eq(client_user::ClientUserStatus::Active))
        .order_by_desc(client_user::Column::Id)
        .limit(6)
        .all(app.db.read())
        .await?;
    let open = logout_request::Entity::find()
        .filter(logout_request::Column::Status.eq(logout_request::LogoutStatus::Requested))
        .order_by_asc(logout_request::Column::Id)
        .limit(2)
        .all(app.db.read())
        .await?;

    let service = Caller::sign_in(app, staff.service).await?;
    for (row, remark) in newest.iter().zip(["来电咨询续费，已答复", "反馈画面卡顿，建议更换机房"])
    {
        let client_user::Model { name, phone, email, ident_code, .. } = row;
        let body = json!({ "name": name, "phone": phone, "email": email, "identCode": ident_code, "remark": remark });
        service.call(Method::PUT, &format!("/api/user/v1/client-users/{}", row.id), body).await?;
    }
    let ids: Vec<_> = newest.iter().skip(2).map(|row| row.id).collect();
    if !ids.is_empty() {
        for (status, reason) in [(2, "短时间内重复注册，先行禁用"), (1, "核实为同一家庭，恢复使用")]
        {
            let body = json!({ "selection": { "ids": ids }, "status": status, "reason": reason });
            service.call(Method::POST, "/api/user/v1/client-users/status", body).await?;
        }
    }
    if let Some(request) = open.first() {
        service.call(Method::POST, "/api/user/logout/cancelLogoutUser", json!({ "id": request.id })).await?;
    }
    service.sign_out().await?;

    let manager = Caller::sign_in(app, staff.manager).await?;
    if let Some(request) = open.get(1) {
        let path = format!("/api/user/v1/client-users/logout-requests/{}/complete", request.id);
        manager.call(Method::POST, &path, json!({ "givenUp": "客服工单 20261" })).await?;
    }
    let body = json!({ "name": "云上科技采购部", "phone": "13800020001", "email": "purchase@yunshang.example", "remark": "企业客户，线下签约" });
    manager.call(Method::POST, "/api/user/v1/client-users", body).await?;
    manager.sign_out().await
}

/// Freezes some phones that are off the machine, and renews one.
pub async fn look_after_phones(app: &App, staff: &Staff) -> anyhow::Result<()> {
    let off = phone::Entity::find()
        .filter(phone::Column::Life.eq(phone::Life::Active))
        .filter(phone::Column::UseType.eq(phone::UseType::Off))
        .order_by_desc(phone::Column::Id)
        .limit(9)
        .all(app.db.read())
        .await?;
    let ids: Vec<_> = off.iter().map(|row| row.id).collect();
    let [renewed, frozen @ ..] = ids.as_slice() else { return Ok(()) };
    let manager = Caller::sign_in(app, staff.manager).await?;
    let body = json!({ "selection": { "ids": frozen }, "reason": "风控：疑似批量脚本" });
    manager.call(Method::POST, "/api/phone/v1/phones/freeze", body).await?;
    let body = json!({ "selection": { "ids": [renewed] }, "days": 30 });
    manager.call(Method::POST, "/api/phone/v1/phones/renew", body).await?;
    manager.sign_out().await
}

/// A session of one operator, and the server it calls.
pub struct Caller<'a> {
    app: &'a App,
    router: axum::Router,
    token: String,
    session: SessionId,
}

impl<'a> Caller<'a> {
    pub async fn sign_in(app: &'a App, operator: OperatorId) -> anyhow::Result<Self> {
        let (token, now) = (new_token(), app.clock.now());
        let row = session::ActiveModel {
            token_hash: Set(hash(&token).to_vec()),
            operator_id: Set(operator),
            created_at: Set(now),
            seen_at: Set(now),
            expires_at: Set(now.plus_seconds(3600)),
            ip: Set("127.0.0.1".to_owned()),
            device: Set("谷歌浏览器".to_owned()),
            method: Set(SignInMethod::Password),
            ..Default::default()
        };
        let tx = app.db.begin_write().await?;
        let session = session::Entity::insert(row).exec(&*tx).await?.last_insert_id;
        tx.commit().await?;
        Ok(Self { app, router: router::build(app), token, session })
    }

    /// The data of the answer. A database that is busy is asked again: all rooms of the company come alive at once, and on a
    /// slow machine their first reports keep it busy for longer than a call waits.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> anyhow::Result<Value> {
        let mut tries = 1;
        let (status, mut body) = loop {
            let (status, answer) = self.call_once(method.clone(), path, &body).await?;
            if status != StatusCode::SERVICE_UNAVAILABLE || tries == TRIES {
                break (status, answer);
            }
            tries += 1;
            tokio::time::sleep(PAUSE).await;
        };
        anyhow::ensure!(
            status == StatusCode::OK && body["status"] == 0,
            "the demo company's call of {path} was refused: {body}"
        );
        Ok(body["data"].take())
    }

    async fn call_once(&self, method: Method, path: &str, body: &Value) -> anyhow::Result<(StatusCode, Value)> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, &self.token)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))?;
        let answer = self.router.clone().oneshot(request).await?;
        let status = answer.status();
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await?;
        Ok((status, serde_json::from_slice(&bytes)?))
    }

    pub async fn sign_out(self) -> anyhow::Result<()> {
        let end = session::ActiveModel {
            id: Set(self.session),
            ended_at: Set(Some(self.app.clock.now())),
            end_reason: Set(Some(EndReason::SignedOut)),
            ..Default::default()
        };
        let tx = self.app.db.begin_write().await?;
        session::Entity::update(end).exec(&*tx).await?;
        tx.commit().await?;
        self.app.sessions.forget();
        Ok(())
    }
}
