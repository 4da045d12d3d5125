//! A stay of a phone on a card, as lists show it.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use base::reference::Reference;
use entity::phone_session::{Model, SessionEnd};
use entity::{OpenAppId, PhoneSessionId, open_app};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::Serialize;
use tokio::try_join;
use utoipa::ToSchema;

use crate::phone::named::{NamedPhone, named};
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

/// `rows` with what they refer to.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>) -> Outcome<Vec<PhoneSessionView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let apps = open_app::Entity::find().select_only().columns([open_app::Column::Id, open_app::Column::Name]);
    let apps = apps.filter(open_app::Column::Id.is_in(rows.iter().filter_map(|row| row.app_id)));
    let apps = apps.into_tuple::<(OpenAppId, String)>();
    // None of these waits for another.
    let (phones, cards, rooms, apps) = try_join!(
        named(db, rows.iter().map(|row| row.phone_id)),
        fleet::card_addresses(db, rows.iter().map(|row| row.card_id)),
        fleet::room_names(db, rows.iter().map(|row| row.room_id)),
        apps.all(db),
    )?;
    let apps: HashMap<OpenAppId, String> = apps.into_iter().collect();
    let (steady, streams) = (app.clock.steady(), app.part::<Streams>());
    let view = |row: Model| {
        let phone = phones.get(&row.phone_id).cloned();
        let NamedPhone { phone, user, .. } = phone.unwrap_or_else(|| NamedPhone::unknown(row.phone_id));
        PhoneSessionView {
            id: row.id,
            phone,
            user,
            card: Reference::among(row.card_id, &cards),
            room: Reference::among(row.room_id, &rooms),
            board: row.board,
            asked_at: row.asked_at,
            began_at: row.began_at,
            ended_at: row.ended_at,
            wait_s: row.asked_at.map(|asked| row.began_at.seconds_since(asked)),
            on_s: row.ended_at.map(|ended| ended.seconds_since(row.began_at)),
            why: row.why,
            app: row.app_id.map(|id| Reference::among(id, &apps)),
            gateway: row.gateway,
            streams: row.streams,
            streamed_s: row.streamed_s,
            first_stream_at: row.first_stream_at,
            last_stream_at: row.last_stream_at,
            stream_at: row.stream_at,
            silent_s: row.stream_at.and_then(|_| streams.silent_for(row.phone_id, steady)),
        }
    };
    Ok(rows.into_iter().map(view).collect())
}
