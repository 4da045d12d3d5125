//! A phone, as lists and details show it.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use base::reference::Reference;
use db::beside::{self, Beside as _};
use entity::phone::{DiskState, Life, Model, PhonePool, PhoneSource, Plan, UseType};
use entity::{PhoneId, PlacementId};
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;
use serde::Serialize;
use tokio::try_join;
use utoipa::ToSchema;

use super::beside::Beside;
use crate::connect::view::{ConnectView, connects};
use crate::forbidden::withheld::{WithheldApp, of_stays};
use crate::saga::view::{UnderWay, under_way};

/// A phone, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneView {
    pub id: PhoneId,
    pub code: String,
    pub name: String,
    pub user: Reference,
    /// The user's phone number; empty if there is none.
    pub user_phone: String,
    pub plan: Plan,
    /// The hardware family that it runs on.
    pub board: String,
    /// Its home.
    pub room: Reference,
    /// On which cards it comes.
    pub pool: PhonePool,
    pub life: Life,
    pub use_type: UseType,
    /// The card that holds it, by its intranet address; none while it is off the machine.
    pub card: Option<Reference>,
    /// That card is dedicated: no rule takes it off, whatever cards it comes on the next time.
    pub is_guaranteed: bool,
    /// Since when it is on that card, or was being put on it.
    pub on_since: Option<UtcTime>,
    /// It was never on a card.
    pub is_blank: bool,
    /// What is being done to it just now; none if nothing is.
    pub under_way: Option<UnderWay>,
    /// Who connects to it; none if nobody does.
    pub connect: Option<ConnectView>,
    pub disk_gb: i32,
    /// What its last copy held.
    pub used_bytes: i64,
    /// How full its disk is, by that.
    pub disk_state: DiskState,
    pub expires_at: UtcTime,
    /// Days that were bought in one piece, from 360 on a year card; 0 where that is not known.
    pub term: i32,
    /// The version of its system image; empty until it has been on a card.
    pub image: String,
    pub source: PhoneSource,
    pub frozen_reason: String,
    /// Until when it can be restored, once released.
    pub stays_until: Option<UtcTime>,
    pub last_used_at: Option<UtcTime>,
    pub last_backup_at: Option<UtcTime>,
    /// Apps of its copy with which it did not come on its card, since it may not have them.
    pub withheld: Vec<WithheldApp>,
    pub remark: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// `rows` with the names of their users, rooms and cards.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, db: &impl ConnectionTrait, rows: Vec<Model>) -> Outcome<Vec<PhoneView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let beside = beside::beside(db, rows.iter().map(|row| row.id)).await?;
    with_beside(app, db, rows, beside).await
}

/// A phone, if it exists.
///
/// # Errors
/// When a read fails.
pub async fn view(app: &App, db: &impl ConnectionTrait, id: PhoneId) -> Outcome<Option<PhoneView>> {
    let Some((row, beside)) = beside::whole::<Beside>(db, id).await? else { return Ok(None) };
    Ok(with_beside(app, db, vec![row], HashMap::from([(id, beside)])).await?.pop())
}

async fn with_beside(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
    mut beside: HashMap<PhoneId, Beside>,
) -> Outcome<Vec<PhoneView>> {
    // Of most there is nothing more to be read.
    let of = |is_so: fn(&Beside) -> bool| beside.values().filter(move |one| is_so(one));
    let stays: Vec<PlacementId> = of(|one| one.is_short).filter_map(Beside::stay).collect();
    let (mut under_way, mut connects, mut withheld) = try_join!(
        under_way(app, db, of(|one| one.is_locked).map(Beside::id)),
        connects(db, of(|one| one.is_connecting).map(Beside::id)),
        of_stays(db, &stays),
    )?;
    let view = |row: Model| {
        let Model {
            id,
            code,
            name,
            user_id,
            plan,
            room_id,
            pool,
            life,
            use_type,
            is_blank,
            kept_id: _,
            holds_id,
            endpoint_rev: _,
            disk_gb,
            used_bytes,
            expires_at,
            term,
            image,
            source,
            frozen_reason,
            stays_until,
            last_used_at,
            last_backup_at,
            remark,
            app_id: _,
            created_at,
            updated_at,
        } = row;
        let beside = beside.remove(&id);
        let stay = beside.as_ref().zip(holds_id).and_then(|(beside, stay)| beside.card(stay));
        let (user, user_phone, room) = match beside {
            Some(Beside { user_name, user_phone, room, .. }) => (Some(user_name), user_phone, Some(room)),
            None => Default::default(),
        };
        PhoneView {
            id,
            code,
            name,
            user: Reference { id: user_id.0, name: user },
            user_phone,
            plan,
            board: plan.board().to_owned(),
            room: Reference { id: room_id.0, name: room },
            pool,
            life,
            use_type,
            is_guaranteed: stay.as_ref().is_some_and(|stay| stay.is_dedicated),
            on_since: stay.as_ref().map(|stay| stay.since),
            card: stay.map(|stay| stay.card),
            is_blank,
            under_way: under_way.remove(&id),
            connect: connects.remove(&id),
            disk_gb,
            used_bytes,
            disk_state: DiskState::of(used_bytes, disk_gb),
            expires_at,
            term,
            image,
            source,
            frozen_reason,
            stays_until,
            last_used_at,
            last_backup_at,
            withheld: holds_id.and_then(|stay| withheld.remove(&stay)).unwrap_or_default(),
            remark,
            created_at,
            updated_at,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}
