//! Looks at customers' phones: what is on their screens, and in their files. Each leaves a line in the history of the phone when it
//! begins; nothing is shown without it. And each needs a right of its own besides the one to look at cards: what is on a phone is a
//! customer's.

use std::time::Duration;

use base::fault::{Fault, Outcome};
use base::http::Need;
use base::http::ops::{Audit, OpCtx};
use db::journal::Entry;
use entity::placement::{self, Role};
use entity::{CardId, PlacementId, SessionId, phone};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use moka::sync::Cache;
use sea_orm::{
    ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};

/// A look is over when nothing was asked for so long: an open page asks for one picture or folder after the other.
const OVER: Duration = Duration::from_mins(10);

/// To look at the screen of a phone. It is one of the rights to phones, and their domain lists it.
pub const SCREEN: Need = Need::Code("phone:screen");
/// To look at the files of a phone, to fetch them and to send some.
pub const FILES: Need = Need::Code("phone:files");

const NO_SCREEN: Text = text(
    "卡上有客户的云手机，查看其画面还需要“云手机列表”的“查看画面”权限（phone:screen）",
    "A customer's phone is on the card: its screen also needs the permission \"Look at the screen\" of \"Cloud phones\" (phone:screen)",
);
const NO_FILES: Text = text(
    "卡上有客户的云手机，查看或传输其文件还需要“云手机列表”的“查看与传输文件”权限（phone:files）",
    "A customer's phone is on the card: its files also need the permission \"Look at and transfer files\" of \"Cloud phones\" (phone:files)",
);

/// What somebody looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// A picture of the screen.
    Screen,
    /// A folder, or a file that was fetched.
    Files,
}

impl Look {
    /// What the operation log calls it.
    const fn action(self) -> &'static str {
        match self {
            Self::Screen => "phone_screen",
            Self::Files => "phone_files",
        }
    }

    /// Whether somebody may.
    #[must_use]
    pub fn is_allowed(self, ctx: &OpCtx) -> bool {
        ctx.holds(self.need())
    }

    /// Refuses whoever may not what would reach a phone, and writes the refusal to the operation log.
    ///
    /// # Errors
    /// He may not, or the database refuses.
    pub async fn require(self, ctx: &OpCtx) -> Outcome<()> {
        match ctx.require(self.need().code()).await {
            Ok(()) => Ok(()),
            Err(Fault::Denied(_)) => Err(self.refused()),
            Err(fault) => Err(fault),
        }
    }

    const fn need(self) -> Need {
        match self {
            Self::Screen => SCREEN,
            Self::Files => FILES,
        }
    }

    /// The general words would name a right of which nobody who looks at a card has heard.
    fn refused(self) -> Fault {
        Fault::status(
            4003,
            match self {
                Self::Screen => NO_SCREEN,
                Self::Files => NO_FILES,
            },
        )
    }
}

/// Looks that go on: by whom, at which stay of a phone, and at what. In memory alone: after a restart of the console each is a new one.
#[derive(Debug)]
pub struct Looks(Cache<(SessionId, PlacementId, Look), ()>);

impl Default for Looks {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(100_000).time_to_idle(OVER).build())
    }
}

/// Somebody looks at a card as it is at this moment, or was: if a phone is on it, or has left something there, he needs the right to
/// look at phones, and it is written down.
///
/// # Errors
/// He may not look at phones, or the database refuses: then nothing is to be shown.
pub async fn begins(ctx: &OpCtx, card: CardId, at: UtcTime, look: Look) -> Outcome<()> {
    let Some(stay) = stay_at(ctx.read(), card, at).await? else { return Ok(()) };
    // Each time: the right may be gone since the look began.
    if !look.is_allowed(ctx) {
        return Err(look.refused());
    }
    let (looks, key) = (&ctx.app.part::<Looks>().0, (ctx.session.id, stay.id, look));
    if looks.get(&key).is_some() {
        return Ok(());
    }
    // Known only once it is written: whoever breaks off a request hides nothing by it.
    write(ctx, &stay, look).await?;
    looks.insert(key, ());
    Ok(())
}

async fn write(ctx: &OpCtx, stay: &placement::Model, look: Look) -> Outcome<()> {
    let phone = phone::Entity::find_by_id(stay.phone_id).one(ctx.read()).await?;
    let code = phone.map(|phone| phone.code).unwrap_or_default();
    let audit = Audit::of("phone").id(stay.phone_id).name(code).with("card", [stay.card_id.0]);
    let mut tx = ctx.app.db.begin_write().await?;
    tx.record(Entry { action: look.action().to_owned(), ..audit.fill(ctx.entry()) });
    tx.commit().await?;
    Ok(())
}

/// The stay on a card at a moment.
async fn stay_at(db: &impl ConnectionTrait, card: CardId, at: UtcTime) -> Result<Option<placement::Model>, DbErr> {
    let goes_on = placement::Column::Role.ne(Role::Ended);
    let was_there = Condition::any().add(goes_on).add(placement::Column::EndedAt.gte(at));
    let stays = placement::Entity::find().filter(placement::Column::CardId.eq(card));
    let stays = stays.filter(placement::Column::BeganAt.lte(at)).filter(was_there);
    stays.order_by_desc(placement::Column::Id).one(db).await
}
