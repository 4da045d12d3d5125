//! What other domains may ask about customers.

use db::kept::{self, Cells};
use entity::client_user::{ClientType, LoginMethod, Model, Status};
use sea_orm::{ConnectionTrait, DbErr};

use super::store::{self, ClientUserFilter, LIST, cell};

/// How many customers there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientUserCounts {
    /// Closed accounts included.
    pub all: u64,
    /// Who can sign in.
    pub active: u64,
    /// Who was disabled.
    pub disabled: u64,
}

/// Counts customers, by their kept counters.
///
/// # Errors
/// When a read fails.
pub async fn counts(db: &impl ConnectionTrait) -> Result<ClientUserCounts, DbErr> {
    let of = |status| -> Vec<i32> {
        LoginMethod::ALL
            .iter()
            .flat_map(|method| ClientType::ALL.iter().map(move |client| cell(status, *method, *client)))
            .collect()
    };
    Ok(ClientUserCounts {
        all: kept::total(db, LIST, Cells::All).await?,
        active: kept::total(db, LIST, Cells::These(&of(Status::Active))).await?,
        disabled: kept::total(db, LIST, Cells::These(&of(Status::Disabled))).await?,
    })
}

/// Whether the index helps to find `text`; otherwise all customers would have to be looked at.
#[must_use]
pub fn is_quick_to_find(text: &str) -> bool {
    db::search::is_indexed(text)
}

/// Some customers whose name, phone, email or identification code contains `text`, newest first.
///
/// # Errors
/// When the read fails.
pub async fn find_some(db: &impl ConnectionTrait, text: &str, limit: u64) -> Result<Vec<Model>, DbErr> {
    let filter = ClientUserFilter { key_word: Some(text.to_owned()), ..ClientUserFilter::default() };
    Ok(store::step(db, &filter, None, limit).await?.0)
}
