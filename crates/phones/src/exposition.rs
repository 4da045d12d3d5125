//! Cloud phones for Prometheus: what there is, by room. No label names a
//! phone: there are too many.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::app::App;
use base::fault::Outcome;
use entity::phone::{Plan, UseType};
use entity::saga::{SagaKind, SagaState};
use entity::{RoomId, room};
use sea_orm::{EntityTrait as _, QueryOrder as _, QuerySelect as _};

use crate::phone::counts::{Wanted, alike};
use crate::saga;
use crate::saga::counted::{kind_of, state_of};
use crate::session::streams_in_rooms;

/// Phones, streams and the queue by room, and what is under way by kind, in Prometheus' text format. Generated each time: a room
/// that is deleted or renamed leaves nothing behind.
///
/// # Errors
/// When a read fails.
pub async fn gauges(app: &App) -> Outcome<String> {
    let db = app.db.read();
    let rooms: Vec<(RoomId, String)> = room::Entity::find()
        .select_only()
        .columns([room::Column::Id, room::Column::Name])
        .order_by_asc(room::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let mut wanted = Wanted::default();
    wanted.life(None);
    let mut places: BTreeMap<(RoomId, UseType), u64> = BTreeMap::new();
    for some in alike(db, &wanted).await? {
        *places.entry((some.room, some.use_type)).or_default() += some.count;
    }
    let used = streams_in_rooms(db).await?;
    let queued = saga::queued_in(db).await?;
    let (mut phones, mut streams, mut queue) = (String::new(), String::new(), String::new());
    for (id, name) in rooms {
        let room = fleet::room_label(&name);
        for (place, use_type) in [("on", UseType::On), ("off", UseType::Off)] {
            let count = places.get(&(id, use_type)).unwrap_or(&0);
            let _ = writeln!(phones, "skyrack_phones{{room=\"{room}\",place=\"{place}\"}} {count}");
        }
        let count = used.get(&id).unwrap_or(&0);
        let _ = writeln!(streams, "skyrack_phone_streams{{room=\"{room}\"}} {count}");
        for board in Plan::ALL.iter().map(|plan| plan.board()) {
            let count = queued.get(&(id, board.to_owned())).unwrap_or(&0);
            let _ = writeln!(queue, "skyrack_phone_queue{{room=\"{room}\",board=\"{board}\"}} {count}");
        }
    }
    let mut sagas = String::new();
    let open: BTreeMap<(SagaKind, SagaState), i64> =
        saga::open(db).await?.into_iter().map(|some| ((some.kind, some.state), some.n)).collect();
    for kind in SagaKind::ALL.iter().filter(|kind| **kind != SagaKind::Verify) {
        for state in SagaState::ALL.iter().filter(|state| !state.is_over()) {
            let count = open.get(&(*kind, *state)).unwrap_or(&0);
            let (kind, state) = (kind_of(*kind), state_of(*state));
            let _ = writeln!(sagas, "skyrack_phone_sagas{{kind=\"{kind}\",state=\"{state}\"}} {count}");
        }
    }
    let family = |name: &str, lines: &str| format!("# TYPE {name} gauge\n{lines}\n");
    Ok([
        family("skyrack_phones", &phones),
        family("skyrack_phone_streams", &streams),
        family("skyrack_phone_queue", &queue),
        family("skyrack_phone_sagas", &sagas),
        family(
            "skyrack_phone_set_aside",
            &format!("skyrack_phone_set_aside {}\n", app.part::<saga::SetAside>().all().len()),
        ),
    ]
    .concat())
}
