//! A stay of a phone on a card, as lists show it.

use std::fmt::Display;

use base::app::App;
use base::fault::Outcome;
use base::reference::Reference;
use db::beside;
use entity::phone_session::{Model, SessionEnd};
use entity::{ClientUserId, PhoneSessionId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::Serialize;
use utoipa::ToSchema;

use crate::stream::live::Streams;

/// A stay of a phone on a card, and who used the phone meanwhile.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneSessionView {
    pub id: PhoneSessionId,
    pub phone: Reference,
    pub user: Reference,
    /// By its intranet address.
    pub card: Reference,
    pub room: Reference,
    pub board: String,
    /// When somebody asked for it; none where that is not known.
    pub asked_at: Option<UtcTime>,
    pub began_at: UtcTime,
    /// None while the phone is on the card.
    pub ended_at: Option<UtcTime>,
    /// From asking to being there, in seconds; none where that is not known.
    pub wait_s: Option<i64>,
    /// For how many seconds the phone was on the card; none while it is there.
    pub on_s: Option<i64>,
    /// Why the phone has left the card; none while it is there.
    pub why: Option<SessionEnd>,
    /// By which application it was used last; none if it was not.
    pub app: Option<Reference>,
    /// By which gateway it was used last; empty if it was not.
    pub gateway: String,
    /// How often somebody began to use it.
    pub streams: i32,
    /// For how many seconds it was used, without the present use.
    pub streamed_s: i64,
    pub first_stream_at: Option<UtcTime>,
    /// When somebody has ended to use it.
    pub last_stream_at: Option<UtcTime>,
    /// Since when somebody uses it; none if nobody does.
    pub stream_at: Option<UtcTime>,
    /// For how many seconds the gateway has said nothing of that; none if nobody uses it, or since the console has started.
    pub silent_s: Option<i64>,
}

#[derive(Debug, FromQueryResult)]
struct Beside {
    id: PhoneSessionId,
    code: String,
    user_id: ClientUserId,
    user_name: String,
    address: Ip4,
    room: String,
    app: Option<String>,
}

impl beside::Beside for Beside {
    type Row = Model;
    type Id = PhoneSessionId;
    const TABLE: &str = "phone_session";

    fn text() -> impl Display {
        "phone.code, phone.user_id, client_user.name AS user_name, card.intranet_ip AS address, room.name AS room, \
         open_app.name AS app FROM phone_session JOIN phone ON phone.id = phone_session.phone_id \
         JOIN client_user ON client_user.id = phone.user_id JOIN card ON card.id = phone_session.card_id \
         JOIN room ON room.id = phone_session.room_id LEFT JOIN open_app ON open_app.id = phone_session.app_id"
    }

    fn id(&self) -> PhoneSessionId {
        self.id
    }
}

/// `rows` with what they refer to.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>) -> Outcome<Vec<PhoneSessionView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut beside = beside::beside::<Beside>(db, rows.iter().map(|row| row.id)).await?;
    let (steady, streams) = (app.clock.steady(), app.part::<Streams>());
    let view = |row: Model| {
        // None where it has gone meanwhile.
        let Beside { id: _, code, user_id, user_name, address, room, app } = beside.remove(&row.id)?;
        Some(PhoneSessionView {
            id: row.id,
            phone: Reference { id: row.phone_id.0, name: Some(code) },
            user: Reference { id: user_id.0, name: Some(user_name) },
            card: Reference { id: row.card_id.0, name: Some(address.to_string()) },
            room: Reference { id: row.room_id.0, name: Some(room) },
            board: row.board,
            asked_at: row.asked_at,
            began_at: row.began_at,
            ended_at: row.ended_at,
            wait_s: row.asked_at.map(|asked| row.began_at.seconds_since(asked)),
            on_s: row.ended_at.map(|ended| ended.seconds_since(row.began_at)),
            why: row.why,
            app: row.app_id.map(|id| Reference { id: id.0, name: app }),
            gateway: row.gateway,
            streams: row.streams,
            streamed_s: row.streamed_s,
            first_stream_at: row.first_stream_at,
            last_stream_at: row.last_stream_at,
            stream_at: row.stream_at,
            silent_s: row.stream_at.and_then(|_| streams.silent_for(row.phone_id, steady)),
        })
    };
    Ok(rows.into_iter().filter_map(view).collect())
}
