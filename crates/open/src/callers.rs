//! Who calls: applications by their keys, remembered for a moment, so that a call costs no question of who it is.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::owned::Owned;
use entity::open_app::{self, OpenOwner, OpenScope};
use entity::open_key::{Column, Entity};
use entity::{OpenAppId, OpenKeyId};
use kernel::time::UtcTime;
use moka::sync::Cache;
use outbound::Net;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use vault::Secret;

/// How long what was looked up is believed. A change through this process takes effect at once.
const CACHED_FOR: Duration = Duration::from_secs(2);
/// Keys that are remembered, those that nobody has among them.
const REMEMBERED: u64 = 10_000;
/// A key has no more characters.
const LONGEST: usize = 32;

/// The secret of a key, among the secrets.
#[must_use]
pub fn secret_name(code: &str) -> String {
    format!("openKey.{code}")
}

/// An application that calls, by one of its live keys.
#[derive(Debug)]
pub struct Known {
    pub app: OpenAppId,
    pub name: String,
    pub owner: OpenOwner,
    pub owner_name: String,
    pub scopes: Vec<OpenScope>,
    nets: Vec<Net>,
    pub per_second: i32,
    /// Thousands.
    pub per_day: Option<i32>,
    /// The last day of which calls are written down, and how many.
    pub day: (i32, i64),
    pub is_enabled: bool,
    pub key_id: OpenKeyId,
    pub key: String,
    pub key_made_at: UtcTime,
    pub secret: Secret,
}

impl Known {
    /// Whose things it sees.
    pub fn whose(&self) -> Owned {
        match self.owner {
            OpenOwner::Company => Owned::everybodys(),
            OpenOwner::Agent | OpenOwner::Partner => Owned::by(self.app),
        }
    }

    /// Whether it may call from there.
    pub fn may_come_from(&self, ip: IpAddr) -> bool {
        self.nets.is_empty() || self.nets.iter().any(|net| net.contains(ip))
    }
}

/// Those who called of late.
#[derive(Debug)]
pub struct Callers {
    known: Cache<String, Option<Arc<Known>>>,
    /// It changes with what is remembered: what was read before is not remembered after.
    edition: AtomicU64,
}

impl Default for Callers {
    fn default() -> Self {
        let known = Cache::builder().max_capacity(REMEMBERED).time_to_live(CACHED_FOR).build();
        Self { known, edition: AtomicU64::default() }
    }
}

impl Callers {
    /// Who has this key, if it lives.
    ///
    /// # Errors
    /// When a read fails, or the secret cannot be opened.
    pub async fn find(&self, app: &App, key: &str) -> Outcome<Option<Arc<Known>>> {
        if key.is_empty() || key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(None);
        }
        if let Some(known) = self.known.get(key) {
            return Ok(known);
        }
        let edition = self.edition.load(Ordering::SeqCst);
        let found = read(app, key).await?.map(Arc::new);
        if self.edition.load(Ordering::SeqCst) == edition {
            self.known.insert(key.to_owned(), found.clone());
        }
        Ok(found)
    }

    /// Everybody is looked up anew. Call it once a change is committed.
    pub fn forget(&self) {
        self.edition.fetch_add(1, Ordering::SeqCst);
        self.known.invalidate_all();
    }
}

async fn read(app: &App, key: &str) -> Outcome<Option<Known>> {
    let db = app.db.read();
    let live = Entity::find().filter(Column::Code.eq(key)).filter(Column::RevokedAt.is_null());
    let Some(row) = live.one(db).await? else { return Ok(None) };
    let Some(of) = open_app::Entity::find_by_id(row.app_id).one(db).await? else { return Ok(None) };
    let found = vault::store::get(db, &app.vault, &secret_name(key)).await;
    // Between the two reads it may have been revoked.
    let Some(secret) = found.map_err(Fault::internal)? else { return Ok(None) };
    Ok(Some(Known {
        app: of.id,
        name: of.name,
        owner: of.owner,
        owner_name: of.owner_name,
        scopes: OpenScope::listed(&of.scopes),
        nets: of.ips.split(' ').filter_map(|net| net.parse().ok()).collect(),
        per_second: of.per_second,
        per_day: of.per_day,
        day: (of.day, of.day_calls),
        is_enabled: of.is_enabled,
        key_id: row.id,
        key: row.code,
        key_made_at: row.created_at,
        secret,
    }))
}
