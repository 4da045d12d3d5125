//! Compares what an agent sees in its room with the records.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::card::{self, Lifecycle, Model};
use entity::finding::FindingKind as Kind;
use entity::{CardId, RoomId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, DbErr, EntityTrait as _, QueryFilter as _, Value};
use serde::{Deserialize, Serialize};

use crate::card::model::{self, ModelName};
use crate::card::{mark, store};
use crate::image;
use crate::state::Fleet;
use crate::state::{self, By, Change, Session};

/// The longest mark that is kept, in characters.
const MARK: usize = 96;
/// Keys in one query.
const KEYS: usize = 500;

/// A card that an agent sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sighting {
    pub serial: String,
    pub ip: Ip4,
    pub port: i32,
    #[serde(flatten)]
    pub model: ModelName,
    /// Of the image that it runs; empty if it did not say.
    #[serde(default)]
    pub fingerprint: String,
    /// Whose it says it is: `-` if it carries no mark, `?` if that cannot be read; none from agents of before.
    #[serde(default)]
    pub mark: Option<String>,
}

impl Sighting {
    /// The sighting, truncated to the columns: an agent may send anything.
    fn bounded(&self) -> Self {
        let cut = |text: &str, max: usize| -> String {
            text.chars().filter(|c| !c.is_control()).take(max).collect::<String>().trim().to_owned()
        };
        Self {
            serial: cut(&self.serial, 64),
            ip: self.ip,
            port: self.port.clamp(1, 65_535),
            model: ModelName {
                manufacturer: cut(&self.model.manufacturer, 64),
                model: cut(&self.model.model, 64),
                board: cut(&self.model.board, 32),
            },
            // Not cut to the column: half a fingerprint would be that of another image.
            fingerprint: cut(&self.fingerprint, usize::MAX),
            mark: self.mark.as_deref().map(|mark| cut(mark, MARK)),
        }
    }
}

/// The records of the sighted cards.
struct Books {
    by_serial: HashMap<String, Model>,
    by_address: HashMap<(Ip4, i32), Model>,
    models: HashMap<entity::CardModelId, ModelName>,
}

impl Books {
    async fn read(app: &App, room: RoomId, sightings: &[Sighting]) -> Outcome<Self> {
        let db = app.db.read();
        let mut serials: Vec<&str> = sightings.iter().map(|sighting| sighting.serial.as_str()).collect();
        serials.sort_unstable();
        let mut addresses: Vec<Ip4> = sightings.iter().map(|sighting| sighting.ip).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let (mut by_serial, mut by_address) = (HashMap::new(), HashMap::new());
        for chunk in serials.chunks(KEYS) {
            let found = card::Entity::find().filter(card::Column::Serial.is_in(chunk.iter().copied()));
            for row in found.all(db).await? {
                by_serial.insert(row.serial.clone().unwrap_or_default(), row);
            }
        }
        for chunk in addresses.chunks(KEYS) {
            let found = card::Entity::find()
                .filter(card::Column::RoomId.eq(room))
                .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
                .filter(card::Column::IntranetIp.is_in(chunk.iter().copied()));
            for row in found.all(db).await? {
                by_address.insert((row.intranet_ip, row.adb_port), row);
            }
        }
        Ok(Self { by_serial, by_address, models: model::all(db).await? })
    }

    /// The recorded card that this is, at its recorded place: what it says of itself is written down.
    fn card_of(&self, room: RoomId, sighting: &Sighting) -> Option<&Model> {
        let address = (sighting.ip, sighting.port);
        let by_address = || self.by_address.get(&address).filter(|row| row.serial.is_none());
        let row = self.by_serial.get(&sighting.serial).or_else(by_address)?;
        let is_there = row.room_id == room && (row.intranet_ip, row.adb_port) == address;
        (is_there && row.lifecycle != Lifecycle::Retired).then_some(row)
    }

    /// How a sighting differs from the records.
    fn judge(&self, room: RoomId, sighting: &Sighting) -> Verdict<'_> {
        let is_other_model = |row: &Model| self.models.get(&row.model_id).is_some_and(|name| *name != sighting.model);
        if let Some(row) = self.by_serial.get(&sighting.serial) {
            return if row.lifecycle == Lifecycle::Retired {
                Verdict::Differs(Kind::Ghost, Some(row.id))
            } else if row.room_id != room || (row.intranet_ip, row.adb_port) != (sighting.ip, sighting.port) {
                Verdict::Differs(Kind::Moved, Some(row.id))
            } else if is_other_model(row) {
                Verdict::Differs(Kind::WrongModel, Some(row.id))
            } else {
                Verdict::AsExpected(row.id)
            };
        }
        match self.by_address.get(&(sighting.ip, sighting.port)) {
            None => Verdict::Differs(Kind::New, None),
            Some(row) if row.serial.is_some() => Verdict::Differs(Kind::DuplicateAddress, Some(row.id)),
            // Recorded without a serial: this is the card, whatever was written down of its model.
            Some(row) => Verdict::Learns(row, is_other_model(row).then_some(Kind::WrongModel)),
        }
    }
}

enum Verdict<'a> {
    AsExpected(CardId),
    /// The card's serial becomes known. It may differ all the same.
    Learns(&'a Model, Option<Kind>),
    Differs(Kind, Option<CardId>),
}

/// Compares what an agent sees with the records. `is_whole` means that the scan is complete: recorded cards that are
/// not in it are missing, and resolved differences are removed.
///
/// # Errors
/// When a read or a write fails.
pub async fn sighted(app: &App, session: &Session, sightings: &[Sighting], is_whole: bool) -> Outcome<()> {
    let (now, room) = (app.clock.now(), session.room);
    let mut seen = HashSet::new();
    // One entry per serial; a card without one cannot be identified.
    let sightings: Vec<Sighting> = sightings
        .iter()
        .map(Sighting::bounded)
        .filter(|sighting| !sighting.serial.is_empty() && seen.insert(sighting.serial.clone()))
        .collect();
    let books = Books::read(app, room, &sightings).await?;
    let (mut found, mut present, mut learned, mut said) = (Vec::new(), HashSet::new(), Vec::new(), Vec::new());
    let mut addresses = HashSet::new();
    for sighting in &sightings {
        let is_second = !addresses.insert((sighting.ip, sighting.port));
        if !is_second && let Some(row) = books.card_of(room, sighting) {
            said.push((row, sighting));
        }
        match books.judge(room, sighting) {
            Verdict::Differs(Kind::New, card) if is_second => {
                found.push(Found { kind: Kind::DuplicateAddress, card, sighting: sighting.clone() });
            }
            Verdict::AsExpected(card) => _ = present.insert(card),
            // Another one has answered at its address before.
            Verdict::Learns(row, _) if is_second => {
                present.insert(row.id);
                found.push(Found { kind: Kind::DuplicateAddress, card: Some(row.id), sighting: sighting.clone() });
            }
            Verdict::Learns(row, differs) => {
                present.insert(row.id);
                let after = Model { serial: Some(sighting.serial.clone()), ..row.clone() };
                learned.push(Change { before: row.clone(), after, reason: "serial".to_owned() });
                found.extend(differs.map(|kind| Found { kind, card: Some(row.id), sighting: sighting.clone() }));
            }
            Verdict::Differs(kind, card) => {
                present.extend(card);
                found.push(Found { kind, card, sighting: sighting.clone() });
            }
        }
    }
    if is_whole {
        found.extend(missing(app, room, &present, &books.models).await?);
    }
    let mut tx = app.db.begin_write().await?;
    for change in &learned {
        store::update_record(&*tx, &app.config.outbound(), &change.before, &change.after).await?;
    }
    let written = state::write(&mut tx, learned, &By::agent(&session.name), now).await?;
    write(&tx, room, found, now).await?;
    let images = said.iter().map(|(card, sighting)| {
        let Sighting { model, fingerprint, .. } = *sighting;
        (*card, image::Said { board: &model.board, fingerprint })
    });
    image::note(&*tx, images, now).await?;
    mark::note(&*tx, said.iter().map(|(card, sighting)| (*card, sighting.mark.as_deref()))).await?;
    if is_whole {
        let text = "DELETE FROM finding WHERE room_id = $1 AND seen_at < $2";
        let values: [Value; 2] = [room.0.into(), now.millis().into()];
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    tx.commit().await?;
    app.part::<Fleet>().committed(&app.events, written);
    Ok(())
}

struct Found {
    kind: Kind,
    card: Option<CardId>,
    sighting: Sighting,
}

/// Recorded cards that were not seen.
async fn missing(
    app: &App,
    room: RoomId,
    present: &HashSet<CardId>,
    models: &HashMap<entity::CardModelId, ModelName>,
) -> Outcome<Vec<Found>> {
    let rows = card::Entity::find()
        .filter(card::Column::RoomId.eq(room))
        .filter(card::Column::Lifecycle.is_in([Lifecycle::Expected, Lifecycle::Registered]))
        .all(app.db.read())
        .await?;
    let lost = rows.into_iter().filter(|row| !present.contains(&row.id)).map(|row| Found {
        kind: Kind::Missing,
        card: Some(row.id),
        sighting: Sighting {
            serial: row.serial.unwrap_or_default(),
            ip: row.intranet_ip,
            port: row.adb_port,
            model: models.get(&row.model_id).cloned().unwrap_or_default(),
            fingerprint: String::new(),
            mark: None,
        },
    });
    Ok(lost.collect())
}

/// Writes findings; an existing one keeps its start and whether it is ignored.
async fn write(tx: &db::WriteTx, room: RoomId, found: Vec<Found>, now: UtcTime) -> Result<(), DbErr> {
    const COLUMNS: usize = 12;
    for chunk in found.chunks(100) {
        let text = format!(
            "INSERT INTO finding (room_id, kind, card_id, serial, intranet_ip, adb_port, manufacturer, model, board, \
             found_at, seen_at, ignored_by) VALUES {} \
             ON CONFLICT (room_id, kind, serial, intranet_ip, adb_port) DO UPDATE SET seen_at = excluded.seen_at, \
             card_id = excluded.card_id, manufacturer = excluded.manufacturer, model = excluded.model, board = excluded.board",
            sql::value_groups(chunk.len(), COLUMNS)
        );
        let values = chunk.iter().flat_map(|Found { kind, card, sighting }| -> [Value; COLUMNS] {
            [
                room.0.into(),
                kind.code().into(),
                card.map(|id| id.0).into(),
                sighting.serial.as_str().into(),
                sighting.ip.0.into(),
                sighting.port.into(),
                sighting.model.manufacturer.as_str().into(),
                sighting.model.model.as_str().into(),
                sighting.model.board.as_str().into(),
                now.millis().into(),
                now.millis().into(),
                "".into(),
            ]
        });
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}
