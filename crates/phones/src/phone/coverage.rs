//! What a copy of a phone would hold and what not: read from its card by an agent, for a person who wants to know before
//! anything is done. Nothing is changed, and the phone goes on.

use std::time::Duration;

use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, reply};
use entity::{ImageId, PhoneId, card, placement};
use fleet::{Connections, DropWhy, may_be_excluded, reasons};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;
use serde::Serialize;
use utoipa::ToSchema;
use wire::copy;
use wire::{Console, CopyLook, Mark, Reason};

use super::service;

/// An agent gives up after 100 s; its answer needs a moment.
const PATIENCE: Duration = Duration::from_secs(105);
/// What an agent tells one by one, at most.
const APPS: usize = 500;
const DROPPED: usize = 100;
const UNCOVERED: usize = 50;
/// Characters of a name or a path, and of a card's own words.
const NAME: usize = 255;

const OFF: Text = text("云手机未上机", "The phone is off the machine");

/// A number of files, and their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyAmount {
    /// Files and links.
    pub files: i64,
    /// Bytes of the files.
    pub bytes: i64,
}

/// The data of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppCopy {
    /// The package.
    pub package: String,
    /// Its data, private and external.
    pub amount: CopyAmount,
}

/// Something that is not copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DroppedData {
    /// Below `/data`; the name that caches have in common.
    pub path: String,
    pub why: DropWhy,
    pub amount: CopyAmount,
}

/// Something that nobody has decided about: more than 1 MiB of it stands in a copy's way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncoveredData {
    /// Below `/data`.
    pub path: String,
    pub amount: CopyAmount,
    /// Copies may be allowed to leave it out, on the image of the card.
    pub may_be_excluded: bool,
}

/// What a copy of a phone would hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneCoverage {
    /// Nothing stands against a copy.
    pub is_covered: bool,
    /// What stands against it, as a code; empty if nothing does.
    pub code: String,
    /// The same in the caller's language.
    pub reason: String,
    /// The card's own words, if it could not be read.
    pub detail: String,
    /// The image that the card runs; none while it has not said so.
    pub image_id: Option<ImageId>,
    /// What was read; none if it could not be.
    pub found: Option<CopyFound>,
}

/// What was read from a phone's card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyFound {
    /// The data of each app, the largest first.
    pub apps: Vec<AppCopy>,
    /// Further apps.
    pub more_apps: CopyAmount,
    /// What users see as their files.
    pub shared: CopyAmount,
    /// Packages of apps: kept once for all phones.
    pub packages: CopyAmount,
    /// Settings that are kept.
    pub settings: CopyAmount,
    /// All that a copy holds; packages are not in it.
    pub kept: CopyAmount,
    /// What is left out, the largest first.
    pub dropped: Vec<DroppedData>,
    /// What nobody has decided about, the largest first.
    pub uncovered: Vec<UncoveredData>,
    /// All of that.
    pub uncovered_in_all: CopyAmount,
    /// How long reading took, in milliseconds.
    pub millis: i64,
}

const fn amount(told: copy::Amount) -> CopyAmount {
    CopyAmount { files: number(told.files), bytes: number(told.bytes) }
}

/// An agent may say anything.
#[expect(clippy::cast_possible_wrap, reason = "what does not fit was cut off")]
const fn number(told: u64) -> i64 {
    if told > i64::MAX as u64 { i64::MAX } else { told as i64 }
}

fn name(told: &str) -> String {
    told.chars().filter(|c| !c.is_control()).take(NAME).collect()
}

/// What is left out, as people are told of it: the largest first.
pub fn left_out(told: &[copy::Dropped]) -> Vec<DroppedData> {
    let one =
        |one: &copy::Dropped| DroppedData { path: name(&one.path), why: one.why.into(), amount: amount(one.amount) };
    told.iter().take(DROPPED).map(one).collect()
}

fn found(told: copy::Coverage) -> CopyFound {
    let copy::Coverage { apps, more_apps, shared, packages, settings, dropped, uncovered, uncovered_in_all, .. } = told;
    let mut kept = copy::Amount::default();
    for one in apps.iter().map(|app| app.amount).chain([more_apps, shared, settings]) {
        kept.files = kept.files.saturating_add(one.files);
        kept.bytes = kept.bytes.saturating_add(one.bytes);
    }
    let app = |app: &copy::AppData| AppCopy { package: name(&app.package), amount: amount(app.amount) };
    let open = |one: &copy::Uncovered| UncoveredData {
        path: name(&one.path),
        amount: amount(one.amount),
        may_be_excluded: may_be_excluded(&format!("/data/{}", one.path)),
    };
    CopyFound {
        apps: apps.iter().take(APPS).map(app).collect(),
        more_apps: amount(more_apps),
        shared: amount(shared),
        packages: amount(packages),
        settings: amount(settings),
        kept: amount(kept),
        dropped: left_out(&dropped),
        uncovered: uncovered.iter().take(UNCOVERED).map(open).collect(),
        uncovered_in_all: amount(uncovered_in_all),
        millis: number(told.millis),
    }
}

fn judged(look: CopyLook, image_id: Option<ImageId>, lang: Lang) -> PhoneCoverage {
    let (code, detail, found) = match look {
        CopyLook::Seen { coverage } if coverage.is_covered => (String::new(), String::new(), Some(found(coverage))),
        CopyLook::Seen { coverage } => (Reason::NotCovered.code().to_owned(), String::new(), Some(found(coverage))),
        CopyLook::Failed { code, reason } => (code.code().chars().take(64).collect(), name(&reason), None),
    };
    let reason = if code.is_empty() { String::new() } else { reasons::words(&code, lang) };
    PhoneCoverage { is_covered: code.is_empty(), code, reason, detail, image_id, found }
}

async fn coverage(ctx: &OpCtx, id: PhoneId) -> Outcome<PhoneCoverage> {
    let phone = service::get(ctx, id).await?;
    let off = || Fault::conflict(OFF);
    let stay = phone.holds_id.ok_or_else(off)?;
    let stay = placement::Entity::find_by_id(stay).one(ctx.read()).await?.ok_or_else(off)?;
    let card = card::Entity::find_by_id(stay.card_id).one(ctx.read()).await?.ok_or_else(off)?;
    let (address, mark) = (card.adb_address(), Mark { phone: id.0, placement: stay.id.0 });
    let leave_out = fleet::exclusions(ctx.read(), card.image_id).await?;
    let question = |stream| Console::CopyLook { stream, address, serial: card.serial, mark, leave_out };
    let look = ctx.app.part::<Connections>().ask_copy(card.room_id, PATIENCE, question).await?;
    Ok(judged(look, card.image_id, ctx.lang()))
}

/// Reads from a phone's card what a copy of it would hold, what it would leave out, and what nobody has decided about.
/// Takes up to 100 seconds. 409 if the phone is off the machine or no agent of its room can be asked.
#[utoipa::path(get, path = "/api/phone/v1/phones/{id}/coverage", tag = "phone",
    params(("id" = i64, Path, description = "The phone's id")), responses((status = 200, body = Reply<PhoneCoverage>)))]
pub async fn phone_coverage(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<PhoneCoverage> {
    reply(coverage(&ctx, PhoneId(id)).await?)
}
