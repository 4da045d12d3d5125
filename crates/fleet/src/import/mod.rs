//! Cards out of a spreadsheet: new ones, and changes of those that are recorded, field by field.

mod compare;
pub mod hosts;
mod write;

use base::app::App;
use base::fault::Outcome;
use base::http::Need;
use base::import::{Applied, Column, Effect, Import, Importer, Row, Unique, flag, of};
use db::WriteTx;
use entity::CardId;
use kernel::ip4::Ip4;
use kernel::rules::{self, Check, Verdict, integer_text_between, line, max_chars, whole_number};
use kernel::text::{Message, Text, text};
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use compare::{CardEffect, FieldDifference, Recorded};

use crate::card::list::Cards;
use crate::screens::perm;
use crate::state::{By, Fleet};

/// Changes that a preview lists; the others are counted.
const LISTED: usize = 200;
/// Separates the parts of a value that no two rows may share.
const UNIT: &str = "\u{1f}";

/// Cards.
#[derive(Clone, Copy, Debug)]
pub struct ImportCards;

impl Import for ImportCards {
    type List = Cards;
    type Effect = CardEffect;
    type Known = Recorded;
    const OF: &'static str = "card";
    const PATH: &'static str = "/api/fleet/v1/cards/import";
    const TAG: &'static str = "fleet";
    const CALLS: &'static str = "card_import";
    const KIND: &'static str = "card.import";
    const NEED: Need = perm::DEVICE_IMPORT;
    const TITLE: Text = text("导入设备：{name}", "Import cards: {name}");
    const TEMPLATE: Text = text("设备导入模板", "Card import");
    const BATCH: usize = 500;
    const UNIQUE: &'static [Unique] = &[
        ("intranetIp", |row| {
            let port = row.given("adbPort").unwrap_or("5555");
            Some([&row.text("room"), &row.text("intranetIp"), port].join(UNIT))
        }),
        ("position", |row| {
            let position = row.given("position")?;
            Some([&row.text("room"), &row.text("frame"), &row.text("slot"), position].join(UNIT))
        }),
    ];

    fn columns() -> Vec<Column> {
        vec![
            // Whoever changes the port or the address of a card without a serial is understood by it.
            of::<Cards>("id").beyond_template().unique().rule(|cell| whole_number(cell).map(drop)),
            of::<Cards>("serial").unique().rule(|cell| line(cell, 64)),
            of::<Cards>("room").required().rule(|cell| line(cell, 64)),
            of::<Cards>("frame").rule(|cell| line(cell, 64)),
            of::<Cards>("host").rule(|cell| line(cell, 64)),
            of::<Cards>("slot").also(&["槽位", "Slot"]).rule(|cell| integer_text_between(cell, 1, 100).map(drop)),
            of::<Cards>("position").rule(|cell| integer_text_between(cell, 1, 256).map(drop)),
            of::<Cards>("intranetIp").required().rule(|cell| cell.parse::<Ip4>().map(drop)),
            of::<Cards>("adbPort").also(&["内网端口", "Intranet port"]).rule(port),
            of::<Cards>("extranetIp").rule(|cell| cell.parse::<Ip4>().map(drop)),
            of::<Cards>("extranetPort").rule(port),
            of::<Cards>("manufacturer").rule(|cell| line(cell, 64)),
            of::<Cards>("model").rule(|cell| line(cell, 64)),
            of::<Cards>("board").also(&["板卡", "Board model"]).rule(|cell| line(cell, 32)),
            of::<Cards>("size").rule(|cell| line(cell, 32)),
            of::<Cards>("isAssignable").rule(|cell| flag(cell).map(drop)),
            of::<Cards>("isOvercommit").rule(|cell| flag(cell).map(drop)),
            of::<Cards>("remark").rule(|cell| max_chars(cell, 256)),
        ]
    }

    async fn known(app: &App, db: &impl ConnectionTrait, rows: &[&Row]) -> Outcome<Recorded> {
        Recorded::read(app.config.outbound(), db, rows).await
    }

    fn judge(known: &Recorded, row: &Row, check: &mut Check) -> Option<CardEffect> {
        known.judge(row, check)
    }

    async fn apply(tx: &mut WriteTx, by: &Importer<'_>, effects: Vec<CardEffect>) -> Outcome<Applied> {
        let (mut news, mut changes) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                CardEffect::New(target) => news.push(target),
                CardEffect::Changed { before, target, .. } => changes.push((*before, target)),
                CardEffect::Same => {}
            }
        }
        let note = format!("{} new, {} changed", news.len(), changes.len());
        let outbound = by.app.config.outbound();
        let written = write::write(tx, &outbound, news, changes, &By::operator(by.name), by.now).await?;
        let ids = written.iter().flat_map(|written| written.ids()).collect();
        let then = |app: &App| {
            for written in written {
                app.part::<Fleet>().committed(&app.events, written);
            }
        };
        Ok(Applied { note, facts: Vec::new(), ids, then: Some(Box::new(then)) })
    }
}

fn port(cell: &str) -> Verdict {
    rules::port(whole_number(cell)?).map(drop)
}

/// A row that would change a card.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardDifference {
    /// The row's number in the file.
    pub row: u32,
    /// The card.
    pub card_id: CardId,
    /// Field by field, what would change.
    pub fields: Vec<FieldDifference>,
}

/// What an import of cards would do.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRows {
    /// Rows that would make a card.
    pub new_rows: u32,
    /// Rows that would change one.
    pub changed_rows: u32,
    /// Rows that change nothing.
    pub unchanged_rows: u32,
    /// The first 200 changes.
    pub changes: Vec<CardDifference>,
}

/// What was done with cards.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CardCounts {
    made: i64,
    changed: i64,
    same: i64,
}

impl Effect for CardEffect {
    type Found = CardRows;
    type Counts = CardCounts;
    const NOTHING: Text = text("文件中没有需要导入的行", "The file has no rows to import");

    fn acts(&self) -> bool {
        match self {
            Self::New(_) | Self::Changed { .. } => true,
            Self::Same => false,
        }
    }

    fn note(found: &mut CardRows, row: &Row, effect: Option<&Self>) {
        match effect {
            Some(Self::New(_)) => found.new_rows += 1,
            Some(Self::Changed { before, differences, .. }) => {
                found.changed_rows += 1;
                if found.changes.len() < LISTED {
                    let fields = differences.clone();
                    found.changes.push(CardDifference { row: row.number, card_id: before.id, fields });
                }
            }
            Some(Self::Same) => found.unchanged_rows += 1,
            None => {}
        }
    }

    fn count(&self, counts: &mut CardCounts) {
        match self {
            Self::New(_) => counts.made += 1,
            Self::Changed { .. } => counts.changed += 1,
            Self::Same => counts.same += 1,
        }
    }

    fn told(CardCounts { made, changed, same }: CardCounts, left: i64) -> Message {
        let told = text(
            "新增 {made} 台，修改 {changed} 台，未变 {same} 台，跳过 {left} 行",
            "Cards created: {made}, changed: {changed}, unchanged: {same}; rows skipped: {left}",
        );
        told.with("made", made).with("changed", changed).with("same", same).with("left", left)
    }
}
