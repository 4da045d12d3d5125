//! Assembles an application.

use anyhow::Context as _;
use courier::Objects;
use db::Db;
use kernel::clock::Clock;
use queue::Queue;
use vault::store::{OpenError, StoreError};

use crate::access::catalog::Catalogue;
use crate::access::session::Sessions;
use crate::access::words::{Lexicon, Words};
use crate::anchor::Anchors;
use crate::app::{App, Own, Parts};
use crate::attention;
use crate::config::Config;
use crate::domain::{self, Domain, Jobs, Opening};
use crate::http::events::EventHub;
use crate::inspection::{Inspection, Patience};
use crate::router;
use crate::search::Sources;
use crate::settings::Settings;

/// The application of `domains` over an open, migrated database.
///
/// # Errors
/// When the master key cannot be read or is a different one, or a key or files cannot be created.
pub async fn open(config: Config, db: Db, clock: Clock, domains: &[Domain]) -> anyhow::Result<App> {
    let vault = match vault::store::open(&db, &config.master_key()).await {
        Err(OpenError::Store(error @ StoreError::Sealed { .. })) => {
            return Err(error).context("is this the master key that sealed the secrets of this database?");
        }
        outcome => outcome?,
    };
    let opening = Opening { config: &config, db: &db, vault: &vault, now: clock.now() };
    let mut own = Own::default()
        .with(Sources::of(domains.iter().flat_map(|domain| domain.search)))
        .with(attention::Sources::of(domains.iter().flat_map(|domain| domain.attention)));
    for domain in domains {
        own.extend((domain.parts)(&opening).await.with_context(|| format!("the domain {}", domain.name))?);
    }
    let catalogue = domain::catalogue(domains);
    let tables = domains.iter().flat_map(|domain| domain.tables);
    Ok(App::of(Parts {
        started_at: clock.now(),
        words: words(domains, &catalogue),
        catalogue,
        job_needs: Jobs::of(domains)?.into_needs(),
        sessions: Sessions::default(),
        settings: Settings::default(),
        events: EventHub::default(),
        anchors: Anchors::at(&config.anchor_file(), vault.clone()),
        inspection: Inspection::new(config.reader.clone(), config.data_dir.clone(), Patience::default()),
        objects: Objects::open(&config.object_place())?,
        file_columns: tables.filter_map(|table| Some((table.name, table.file?))).collect(),
        queue: Queue::new(db.clone(), clock.clone()),
        own,
        proofs: domains.iter().filter_map(|domain| domain.proof).collect(),
        config,
        db,
        clock,
        vault,
    }))
}

/// What the operation log calls acts, objects and their fields.
fn words(domains: &[Domain], catalogue: &Catalogue) -> Words {
    let imports = domains.iter().flat_map(|domain| domain.imports).map(|import| (import.act)());
    let settings = domains.iter().flat_map(|domain| domain.settings);
    let (all, same) = (domains.to_vec(), domains.to_vec());
    Words::of(Lexicon {
        routes: Box::new(move || router::surface(&same).routes),
        catalogue: catalogue.clone(),
        acts: domains.iter().flat_map(|domain| domain.acts).copied().chain(imports).collect(),
        turns: domains.iter().flat_map(|domain| domain.turns).copied().collect(),
        kinds: domains.iter().flat_map(|domain| domain.kinds).copied().collect(),
        shapes: domains.iter().flat_map(|domain| domain.shapes).copied().collect(),
        settings: settings.map(|entry| entry.logged).collect(),
        document: Box::new(move || serde_json::to_value(router::document(&all)).unwrap_or_default()),
    })
}
