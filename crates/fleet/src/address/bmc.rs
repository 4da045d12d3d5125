//! BMC mappings: which management controller powers which cards. Passwords are in the vault.

use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx, OpTx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use db::WriteTx;
use entity::bmc::{ActiveModel, BmcState, Entity, Model};
use entity::{BmcId, CardId, HostId, RoomId, bmc_range, card, host};
use kernel::ip4::Ip4;
use kernel::lang::Lang;
use kernel::rules::{Check, Violation, at_most, integer_between, max_chars, port, single_line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use outbound::{Net, Rule};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;
use vault::{Secret, SecretView, Vault};

use super::{bmc_state, check, reach};
use crate::place::{names, nets, room};
use crate::reasons;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("address", "address")];
const NOT_FOUND: Text = text("BMC 映射不存在", "BMC mapping not found");

/// Slots and the cards in them, in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlotRange {
    /// The first slot, 0 to 999.
    #[schema(minimum = 0, maximum = 999)]
    pub start_slot: i32,
    /// The last one, not less than the first.
    #[schema(minimum = 0, maximum = 999)]
    pub end_slot: i32,
    /// The intranet address of the card in the first slot.
    pub start_ip: Ip4,
    /// Of the card in the last one; as many addresses as slots.
    pub end_ip: Ip4,
}

/// A BMC, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BmcInput {
    /// Its room.
    pub room_id: RoomId,
    /// The blade that it manages, if known.
    #[serde(default)]
    pub host_id: Option<HostId>,
    /// Unique with the port in the room.
    pub address: Ip4,
    /// 1 to 65535; 443 if omitted.
    #[serde(default = "https")]
    #[schema(minimum = 1, maximum = 65535)]
    pub port: i32,
    /// Up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub username: String,
    /// Sets the password; an empty one removes it, an omitted one keeps it, unless room, address or port change, which
    /// removes it.
    #[serde(default)]
    #[schema(max_length = 128)]
    pub password: Option<String>,
    /// Which slots hold which cards; at most 50 ranges.
    #[serde(default)]
    pub ranges: Vec<SlotRange>,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

const fn https() -> i32 {
    443
}

impl Validate for BmcInput {
    fn check(&self, check: &mut Check) {
        let Self { room_id: _, host_id: _, address: _, port: number, username, password, ranges, remark } = self;
        check.field("port", port((*number).into()));
        check.field("username", single_line(username).and_then(|()| max_chars(username, 64)));
        check.optional("password", password.as_deref(), |text| max_chars(text, 128));
        check.field("remark", max_chars(remark, 256));
        check.field("ranges", at_most(ranges.len(), 50));
        check.each("ranges", ranges, |check, range| {
            check.field("startSlot", integer_between(range.start_slot.into(), 0, 999));
            check.field("endSlot", integer_between(range.end_slot.into(), range.start_slot.into(), 999));
            let (slots, addresses) =
                (i64::from(range.end_slot) - i64::from(range.start_slot) + 1, range.end_ip.0 - range.start_ip.0 + 1);
            if addresses < 1 {
                check.add("endIp", Violation::new("ip.endNotGreater"));
            } else if slots != addresses {
                check.add("endIp", Violation::new("slots.unequal").with("addresses", addresses).with("slots", slots));
            }
        });
        for (at, range) in ranges.iter().enumerate() {
            let clash = ranges[..at].iter().any(|other| {
                (other.start_slot <= range.end_slot && other.end_slot >= range.start_slot)
                    || (other.start_ip <= range.end_ip && other.end_ip >= range.start_ip)
            });
            if clash {
                check.add(format!("ranges[{at}].startSlot"), Violation::new("range.overlaps").with("name", ""));
            }
        }
    }
}

/// A BMC with the cards that it powers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcView {
    pub id: BmcId,
    pub room_id: RoomId,
    pub room: Reference,
    pub host_id: Option<HostId>,
    pub address: Ip4,
    pub port: i32,
    pub username: String,
    /// Whether it is set, never the password itself.
    pub password: SecretView,
    /// SHA-256 of the trusted certificate; empty before the first connection.
    pub certificate: String,
    pub ranges: Vec<SlotRange>,
    pub remark: String,
    /// What it did when it was asked the last time, by a check or by an act on the power of its cards.
    pub state: BmcState,
    /// Why, in the caller's language; empty while it is reachable.
    pub state_reason: String,
    /// Since when.
    pub state_since: Option<UtcTime>,
    /// When it was asked the last time.
    pub asked_at: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

fn secret_name(id: BmcId) -> String {
    format!("bmc.{id}.password")
}

/// The password of a BMC, for room agents only.
///
/// # Errors
/// When the read fails or the vault cannot open it.
pub async fn password(app: &App, id: BmcId) -> Outcome<Option<Secret>> {
    vault::store::get(app.db.read(), &app.vault, &secret_name(id)).await.map_err(Fault::internal)
}

/// The password of a BMC, if it still is as `read`: between two reads somebody may have moved it, and the password may be
/// the one of the other place.
///
/// # Errors
/// When a read fails or the vault cannot open it.
pub(super) async fn password_of(app: &App, read: &Model) -> Outcome<Option<Secret>> {
    let found = password(app, read.id).await?;
    let now = Entity::find_by_id(read.id).one(app.db.read()).await?;
    let is_same = now.is_some_and(|now| now.updated_at == read.updated_at && place(&now) == place(read));
    Ok(found.filter(|_| is_same))
}

/// Where a BMC is: what its password was entered for.
pub(super) const fn place(bmc: &Model) -> (RoomId, Ip4, i32) {
    (bmc.room_id, bmc.address, bmc.port)
}

/// The BMC that powers a card, and the card's slot there; none if no mapping covers it.
///
/// # Errors
/// When a read fails.
pub async fn of_card(db: &impl ConnectionTrait, card: &card::Model) -> Outcome<Option<(Model, i32)>> {
    let range = bmc_range::Entity::find()
        .filter(bmc_range::Column::RoomId.eq(card.room_id))
        .filter(bmc_range::Column::StartIp.lte(card.intranet_ip))
        .filter(bmc_range::Column::EndIp.gte(card.intranet_ip))
        .one(db)
        .await?;
    let Some((range, slot)) = range.and_then(|range| Some((range.bmc_id, range.slot(card.intranet_ip)?))) else {
        return Ok(None);
    };
    // Its ranges were read before it: by now it may be in another room, whose agent alone learns its password.
    let bmc = Entity::find_by_id(range).one(db).await?.filter(|bmc| bmc.room_id == card.room_id);
    Ok(bmc.map(|bmc| (bmc, slot)))
}

pub(super) async fn views(db: &impl ConnectionTrait, rows: Vec<Model>, lang: Lang) -> Result<Vec<BmcView>, DbErr> {
    let ids = rows.iter().map(|row| row.id);
    let found = bmc_range::Entity::find()
        .filter(bmc_range::Column::BmcId.is_in(ids))
        .order_by_asc(bmc_range::Column::StartSlot)
        .all(db)
        .await?;
    let mut ranges: HashMap<BmcId, Vec<SlotRange>> = HashMap::new();
    for bmc_range::Model { id: _, bmc_id, room_id: _, start_slot, end_slot, start_ip, end_ip } in found {
        ranges.entry(bmc_id).or_default().push(SlotRange { start_slot, end_slot, start_ip, end_ip });
    }
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        made.push(BmcView {
            room: Reference::among(row.room_id, &rooms),
            password: vault::store::view(db, &secret_name(row.id)).await?,
            ranges: ranges.remove(&row.id).unwrap_or_default(),
            id: row.id,
            room_id: row.room_id,
            host_id: row.host_id,
            address: row.address,
            port: row.port,
            username: row.username,
            certificate: row.certificate,
            remark: row.remark,
            state: row.state,
            state_reason: reasons::words(&row.state_code, lang),
            state_since: row.state_since,
            asked_at: row.asked_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        });
    }
    Ok(made)
}

async fn view(db: &impl ConnectionTrait, row: Model, lang: Lang) -> Outcome<BmcView> {
    views(db, vec![row], lang).await?.pop().ok_or_else(|| Fault::internal(anyhow::anyhow!("a BMC lost its view")))
}

pub(super) async fn find(db: &impl ConnectionTrait, id: BmcId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// Where the console has an agent connect to: an address that may be connected to, in the room's management networks.
pub(super) fn check_place(outbound: &Rule, room: &entity::room::Model, address: Ip4) -> Outcome<()> {
    reach::check(outbound, "address", address, address)?;
    nets::check(room, outbound, "address", address)
}

/// Checks the references in the input, and that no other BMC of the room powers the same cards.
async fn check_references(
    db: &impl ConnectionTrait,
    outbound: &Rule,
    input: &BmcInput,
    own: Option<BmcId>,
) -> Outcome<()> {
    let room = room::named(db, "roomId", input.room_id).await?;
    check_place(outbound, &room, input.address)?;
    if let Some(id) = input.host_id {
        host::Entity::find_by_id(id)
            .one(db)
            .await?
            .filter(|host| host.room_id == input.room_id)
            .ok_or_else(|| Fault::field("hostId", Violation::unknown_reference()))?;
    }
    for (at, range) in input.ranges.iter().enumerate() {
        let mut others = bmc_range::Entity::find()
            .filter(bmc_range::Column::RoomId.eq(input.room_id))
            .filter(bmc_range::Column::StartIp.lte(range.end_ip))
            .filter(bmc_range::Column::EndIp.gte(range.start_ip));
        if let Some(own) = own {
            others = others.filter(bmc_range::Column::BmcId.ne(own));
        }
        if let Some(other) = others.one(db).await? {
            let name =
                Entity::find_by_id(other.bmc_id).one(db).await?.map_or_else(String::new, |bmc| bmc.address.to_string());
            return Err(Fault::field(
                format!("ranges[{at}].startIp"),
                Violation::new("range.overlaps").with("name", name),
            ));
        }
    }
    Ok(())
}

async fn write_ranges(tx: &impl ConnectionTrait, id: BmcId, input: &BmcInput) -> Result<(), DbErr> {
    bmc_range::Entity::delete_many().filter(bmc_range::Column::BmcId.eq(id)).exec(tx).await?;
    for SlotRange { start_slot, end_slot, start_ip, end_ip } in &input.ranges {
        let row = bmc_range::ActiveModel {
            bmc_id: Set(id),
            room_id: Set(input.room_id),
            start_slot: Set(*start_slot),
            end_slot: Set(*end_slot),
            start_ip: Set(*start_ip),
            end_ip: Set(*end_ip),
            ..Default::default()
        };
        bmc_range::Entity::insert(row).exec_without_returning(tx).await?;
    }
    Ok(())
}

async fn write_password(ctx: &OpCtx, tx: &mut OpTx, id: BmcId, password: &str) -> Outcome<()> {
    let name = secret_name(id);
    if password.is_empty() {
        vault::store::remove(tx.inner(), &name).await?;
        return Ok(());
    }
    let (secret, by) = (Secret::from(password.to_owned()), ctx.session.username.as_str());
    vault::store::put(tx.inner(), &ctx.app.vault, &name, &secret, by, ctx.now()).await?;
    Ok(())
}

fn row(input: &BmcInput, now: UtcTime) -> ActiveModel {
    ActiveModel {
        room_id: Set(input.room_id),
        host_id: Set(input.host_id),
        address: Set(input.address),
        port: Set(input.port),
        username: Set(input.username.clone()),
        remark: Set(input.remark.clone()),
        updated_at: Set(now),
        ..Default::default()
    }
}

/// A BMC with its password, for the demo company.
///
/// # Errors
/// When the address is taken or a range overlaps with another BMC's.
pub async fn insert(vault: &Vault, tx: &mut WriteTx, input: &BmcInput, password: &Secret, now: UtcTime) -> Outcome<()> {
    // Its simulated room is on this machine.
    check_references(&**tx, &Rule::new(vec![Net::LOOPBACK]), input, None).await?;
    let new = ActiveModel { certificate: Set(String::new()), created_at: Set(now), ..row(input, now) };
    let made = Entity::insert(new).exec_with_returning(&**tx).await.map_err(unique("bmc", UNIQUE))?;
    write_ranges(&**tx, made.id, input).await?;
    vault::store::put(tx, vault, &secret_name(made.id), password, "demo", now).await?;
    Ok(())
}

/// Stores the certificate that the BMC of a card showed on the first connection; a stored one is kept.
///
/// # Errors
/// When the database refuses.
pub async fn pin(app: &App, card: CardId, certificate: &str) -> Outcome<()> {
    let Some(row) = card::Entity::find_by_id(card).one(app.db.read()).await? else { return Ok(()) };
    let tx = app.db.begin_write().await?;
    let Some((bmc, _)) = of_card(&*tx, &row).await? else { return Ok(()) };
    if check::pin(&tx, &bmc, certificate).await? {
        tx.commit().await?;
    }
    Ok(())
}

async fn create(ctx: &OpCtx, input: BmcInput) -> Outcome<BmcView> {
    let mut tx = ctx.begin_write().await?;
    check_references(&*tx, &ctx.app.config.outbound(), &input, None).await?;
    let new = ActiveModel { certificate: Set(String::new()), created_at: Set(ctx.now()), ..row(&input, ctx.now()) };
    let made = Entity::insert(new).exec_with_returning(&*tx).await.map_err(unique("bmc", UNIQUE))?;
    write_ranges(&*tx, made.id, &input).await?;
    write_password(ctx, &mut tx, made.id, input.password.as_deref().unwrap_or_default()).await?;
    let made = view(&*tx, made, ctx.lang()).await?;
    tx.commit(Audit::of("bmc").id(made.id).name(made.address.to_string()).after(&made)).await?;
    Ok(made)
}

async fn update(ctx: &OpCtx, id: BmcId, input: BmcInput) -> Outcome<BmcView> {
    let mut tx = ctx.begin_write().await?;
    let old = find(&*tx, id).await?;
    let has_moved = place(&old) != (input.room_id, input.address, input.port);
    let before = view(&*tx, old, ctx.lang()).await?;
    check_references(&*tx, &ctx.app.config.outbound(), &input, Some(id)).await?;
    let mut change = ActiveModel { id: Set(id), ..row(&input, ctx.now()) };
    if has_moved {
        // Another controller, or another room's agent that would learn the password: password and certificate are
        // cleared.
        change.certificate = Set(String::new());
    }
    if has_moved || input.password.is_some() || before.username != input.username {
        bmc_state::forget(&mut change);
    }
    let after = Entity::update(change).exec(&*tx).await.map_err(unique("bmc", UNIQUE))?;
    write_ranges(&*tx, id, &input).await?;
    // Whoever may change an address may not have the password sent there, unless they know it.
    if let Some(password) = input.password.as_deref().or(has_moved.then_some("")) {
        write_password(ctx, &mut tx, id, password).await?;
    }
    let after = view(&*tx, after, ctx.lang()).await?;
    tx.commit(Audit::of("bmc").id(id).name(after.address.to_string()).before(&before).after(&after)).await?;
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: BmcId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?, ctx.lang()).await?;
    vault::store::remove(tx.inner(), &secret_name(id)).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("bmc").id(id).name(before.address.to_string()).before(&before)).await?;
    Ok(())
}

/// Creates a BMC mapping.
#[utoipa::path(post, path = "/api/fleet/v1/bmcs", tag = "fleet", request_body = BmcInput,
    responses((status = 200, body = Reply<BmcView>)))]
pub async fn bmc_create(ctx: OpCtx, Valid(input): Valid<BmcInput>) -> ApiResult<BmcView> {
    reply(create(&ctx, input).await?)
}

/// Updates a BMC mapping. A change of room, address or port clears the password and the certificate, unless a password
/// comes with the change.
#[utoipa::path(put, path = "/api/fleet/v1/bmcs/{id}", tag = "fleet", request_body = BmcInput,
    params(("id" = i64, Path, description = "The BMC's id")), responses((status = 200, body = Reply<BmcView>)))]
pub async fn bmc_update(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<BmcInput>) -> ApiResult<BmcView> {
    reply(update(&ctx, BmcId(id), input).await?)
}

/// Deletes a BMC mapping and its password.
#[utoipa::path(delete, path = "/api/fleet/v1/bmcs/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The BMC's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn bmc_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, BmcId(id)).await?;
    done()
}
