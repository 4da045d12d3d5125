//! Who calls: applications by their keys, known by heart for a moment, so that a call costs no question of who it is.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::app::App;
use base::fault::Outcome;
use base::owned::Owned;
use entity::open_app::{self, OpenOwner, OpenScope};
use entity::open_key::{Column, Entity};
use entity::{OpenAppId, OpenKeyId};
use kernel::clock::Moment;
use kernel::time::UtcTime;
use outbound::Net;
use parking_lot::RwLock;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use vault::Secret;
use vault::store::StoreError;

/// For so many seconds what was read is believed. A change through this process takes effect at once.
const BELIEVED_S: i64 = 2;
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

/// All who may call. They are few and are known by heart, so that a call with a key that nobody has asks nothing.
#[derive(Debug, Default)]
pub struct Callers {
    book: RwLock<Arc<Book>>,
    /// One reads it anew, and the others wait for that.
    reading: tokio::sync::Mutex<()>,
    /// It changes with what is known: what was read before is not known after.
    edition: AtomicU64,
}

/// Live keys by their names.
#[derive(Debug, Default)]
struct Book {
    known: HashMap<String, Arc<Known>>,
    /// None if it was never read, or is not to be believed any more.
    read_at: Option<Moment>,
}

impl Book {
    fn is_fresh(&self, now: Moment) -> bool {
        self.read_at.is_some_and(|at| now.seconds_since(at) < BELIEVED_S)
    }
}

impl Callers {
    /// Who has this key, if it lives.
    ///
    /// # Errors
    /// When a read fails, or a secret cannot be opened.
    pub async fn find(&self, app: &App, key: &str) -> Outcome<Option<Arc<Known>>> {
        if key.is_empty() || key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(None);
        }
        let of = |book: &Book| book.known.get(key).cloned();
        let now = || app.clock.moment();
        let book = self.book.read().clone();
        if book.is_fresh(now()) {
            return Ok(of(&book));
        }
        let _alone = self.reading.lock().await;
        let book = self.book.read().clone();
        if book.is_fresh(now()) {
            return Ok(of(&book));
        }
        let (edition, read_at) = (self.edition.load(Ordering::SeqCst), now());
        let book = Arc::new(Book { known: read(app, &book.known).await?, read_at: Some(read_at) });
        if self.edition.load(Ordering::SeqCst) == edition {
            *self.book.write() = Arc::clone(&book);
        }
        Ok(of(&book))
    }

    /// Everybody is looked up anew. Call it once a change is committed.
    pub fn forget(&self) {
        self.edition.fetch_add(1, Ordering::SeqCst);
        *self.book.write() = Arc::default();
    }
}

/// All live keys. The secrets of those that are `known` are not opened again: a key has one for its life.
async fn read(app: &App, known: &HashMap<String, Arc<Known>>) -> Outcome<HashMap<String, Arc<Known>>> {
    let db = app.db.read();
    let apps: HashMap<OpenAppId, open_app::Model> =
        open_app::Entity::find().all(db).await?.into_iter().map(|row| (row.id, row)).collect();
    let mut found = HashMap::new();
    for row in Entity::find().filter(Column::RevokedAt.is_null()).all(db).await? {
        // Between the reads it may have been made, revoked or deleted.
        let Some(of) = apps.get(&row.app_id) else { continue };
        let secret = match known.get(&row.code) {
            Some(known) => Ok(Some(known.secret.clone())),
            None => vault::store::get(db, &app.vault, &secret_name(&row.code)).await,
        };
        let secret = match secret {
            Ok(Some(secret)) => secret,
            Ok(None) => continue,
            Err(StoreError::Db(error)) => return Err(error.into()),
            // One that cannot be opened shuts nobody else out.
            Err(error @ StoreError::Sealed { .. }) => {
                tracing::error!(%error, key = row.code, "a key of the Open API cannot be used");
                continue;
            }
        };
        let known = Known {
            app: of.id,
            name: of.name.clone(),
            owner: of.owner,
            owner_name: of.owner_name.clone(),
            scopes: OpenScope::listed(&of.scopes),
            nets: of.ips.split(' ').filter_map(|net| net.parse().ok()).collect(),
            per_second: of.per_second,
            per_day: of.per_day,
            day: (of.day, of.day_calls),
            is_enabled: of.is_enabled,
            key_id: row.id,
            key: row.code.clone(),
            key_made_at: row.created_at,
            secret,
        };
        found.insert(row.code, Arc::new(known));
    }
    Ok(found)
}
