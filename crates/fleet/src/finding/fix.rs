//! Resolving a difference: the records are updated, or the card is marked.

use base::fault::{Fault, OrMissing as _, Outcome, unique};
use db::WriteTx;
use entity::card::{self, Lifecycle, Model, Occupancy};
use entity::finding::{self, FindingKind as Kind};
use entity::{CardId, CardModelId};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use outbound::Rule;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};

use super::service::FixInput;
use crate::address::plan;
use crate::card::bulk::{self, NewCard};
use crate::card::model::{self, ModelName};
use crate::card::service::{self, MoveInput};
use crate::card::{acts, store};
use crate::state::{self, By, Change, Written};

const GONE: Text = text("设备记录已不存在", "The card record no longer exists");
const BUSY: Text = text("设备正被云手机占用，请先下机", "A cloud phone is on this card; take it off the machine first");
const OUTSIDE_TAKEN: Text = text(
    "按地址规划，它的外网地址是 {address}，但已登记给卡 #{card}；请先修改那张卡",
    "By the address plan its extranet address is {address}, which card #{card} has; change that card first",
);
/// The reason on a card that cannot be found.
const LOST: &str = "missing";

/// Resolves one difference in the caller's transaction; returns the card and what was written.
///
/// # Errors
/// When an address or a position has been taken meanwhile, `outbound` refuses the address, or the card's state does not
/// allow it.
pub async fn fix(
    tx: &mut WriteTx,
    outbound: &Rule,
    finding: &finding::Model,
    input: FixInput,
    by: &By,
    now: UtcTime,
) -> Outcome<(CardId, Vec<Written>)> {
    let written = match finding.kind {
        Kind::New => {
            let made = register(tx, outbound, finding, &input, None, by, now).await?;
            return Ok((made.0, vec![made.1]));
        }
        Kind::DuplicateAddress => {
            let mut all = Vec::new();
            let mut place = None;
            if let Some(id) = finding.card_id {
                let old = service::living(&**tx, id).await?;
                place = old.frame_id.zip(old.host_id).zip(old.position);
                all.push(retire(tx, &old, by, now).await?);
            }
            let place = place.map(|((frame, host), position)| (frame, host, position));
            let made = register(tx, outbound, finding, &input, place, by, now).await?;
            all.push(made.1);
            return Ok((made.0, all));
        }
        Kind::Missing => {
            let row = known(tx, finding).await?;
            acts::mark_faulty(tx, &row, LOST, by, now).await?
        }
        Kind::Moved => {
            let row = known(tx, finding).await?;
            free(&row)?;
            let stays = row.room_id == finding.room_id && input.host_id.is_none();
            let target = MoveInput {
                room_id: finding.room_id,
                host_id: if stays { row.host_id } else { input.host_id },
                position: if stays { row.position } else { input.position },
                intranet_ip: Some(finding.intranet_ip),
                reason: String::new(),
            };
            let row = Model { adb_port: finding.adb_port, ..row };
            service::relocate_in(tx, outbound, &row, target, by, now).await?
        }
        Kind::WrongModel => {
            let row = known(tx, finding).await?;
            let model_id = model_of(tx, finding).await?;
            rewrite(tx, outbound, row.clone(), Model { model_id, ..row }, by, now).await?
        }
        Kind::Ghost => {
            let row = known(tx, finding).await?;
            let model_id = model_of(tx, finding).await?;
            let extranet = plan::outside(&**tx, finding.room_id, finding.intranet_ip, finding.adb_port).await?;
            let after = Model {
                lifecycle: Lifecycle::Registered,
                room_id: finding.room_id,
                intranet_ip: finding.intranet_ip,
                adb_port: finding.adb_port,
                extranet_ip: extranet.map(|(ip, _)| ip),
                extranet_port: extranet.map(|(_, port)| port),
                model_id,
                ..row.clone()
            };
            rewrite(tx, outbound, row, after, by, now).await?
        }
    };
    let id = finding.card_id.or_missing(GONE)?;
    Ok((id, vec![written]))
}

/// The outside address follows from the plan and is no field of the form: who has it is said in words.
async fn refuse_taken_outside(tx: &WriteTx, row: &Model) -> Outcome<()> {
    let Some((ip, port)) = row.extranet_ip.zip(row.extranet_port) else { return Ok(()) };
    let other = card::Entity::find()
        .filter(card::Column::ExtranetIp.eq(ip))
        .filter(card::Column::ExtranetPort.eq(port))
        .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
        .one(&**tx)
        .await?;
    other.map_or(Ok(()), |other| {
        Err(Fault::conflict(OUTSIDE_TAKEN.with("address", format!("{ip}:{port}")).with("card", other.id)))
    })
}

async fn known(tx: &WriteTx, finding: &finding::Model) -> Outcome<Model> {
    let id = finding.card_id.or_missing(GONE)?;
    store::find(&**tx, id).await?.or_missing(GONE)
}

fn free(row: &Model) -> Outcome<()> {
    if row.occupancy == Occupancy::Free { Ok(()) } else { Err(Fault::conflict(BUSY)) }
}

async fn model_of(tx: &WriteTx, finding: &finding::Model) -> Outcome<CardModelId> {
    let name = ModelName {
        manufacturer: finding.manufacturer.clone(),
        model: finding.model.clone(),
        board: finding.board.clone(),
    };
    Ok(model::ensure(&**tx, [name.clone()]).await?[&name])
}

async fn rewrite(
    tx: &mut WriteTx,
    outbound: &Rule,
    before: Model,
    after: Model,
    by: &By,
    now: UtcTime,
) -> Outcome<Written> {
    // A retired card's address is free for others: check it against the cards in use.
    let change = Change { before: before.clone(), after: after.clone(), reason: String::new() };
    store::update_record(&**tx, outbound, &before, &after).await?;
    state::write(tx, vec![change], by, now).await.map_err(unique(store::TABLE, store::UNIQUE))
}

async fn retire(tx: &mut WriteTx, old: &Model, by: &By, now: UtcTime) -> Outcome<Written> {
    free(old)?;
    let nowhere =
        card::ActiveModel { frame_id: Set(None), host_id: Set(None), position: Set(None), ..Default::default() };
    card::Entity::update_many().set(nowhere).filter(card::Column::Id.eq(old.id)).exec(&**tx).await?;
    bulk::end_stays(tx, &[old.id], now).await?;
    let after = Model {
        lifecycle: Lifecycle::Retired,
        frame_id: None,
        host_id: None,
        position: None,
        is_assignable: false,
        ..old.clone()
    };
    let change = Change { before: old.clone(), after, reason: "replaced".to_owned() };
    Ok(state::write(tx, vec![change], by, now).await?)
}

async fn register(
    tx: &mut WriteTx,
    outbound: &Rule,
    finding: &finding::Model,
    input: &FixInput,
    place: Option<(entity::FrameId, entity::HostId, i32)>,
    by: &By,
    now: UtcTime,
) -> Outcome<(CardId, Written)> {
    let host = input.host_id.or(place.map(|(_, host, _)| host));
    let position = input.position.or(place.map(|(_, _, position)| position));
    let spot = service::spot(&**tx, finding.room_id, host, position).await?;
    let new = NewCard {
        serial: Some(finding.serial.clone()),
        room_id: finding.room_id,
        place: spot.place,
        intranet_ip: finding.intranet_ip,
        adb_port: finding.adb_port,
        extranet: plan::outside(&**tx, finding.room_id, finding.intranet_ip, finding.adb_port).await?,
        model_id: model_of(tx, finding).await?,
        size: String::new(),
        remark: String::new(),
        lifecycle: Lifecycle::Registered,
        is_assignable: true,
        is_overcommit: true,
        inherited: spot.inherited,
    };
    let row = new.into_row(now);
    store::refuse_taken_address(&**tx, &row).await?;
    refuse_taken_outside(tx, &row).await?;
    let made = bulk::insert_many(tx, outbound, vec![row], by, "").await?;
    let id = made.first().map(|row| row.id).or_missing(GONE)?;
    Ok((id, Written::inserted(made)))
}
