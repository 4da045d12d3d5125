//! Stays of phones on cards as a list and as a file.

use std::convert::Infallible;

use base::access::catalog::title_of;
use base::export::step_size;
use base::prelude::*;
use base::reference::Reference;
use base::sheet::{self, Steps};
use db::kept::{self, Cells, Part};
use db::{Db, sql};
use entity::phone_session::{Column as By, Entity, SessionEnd};
use entity::{CardId, PhoneId, RoomId, phone};
use kernel::rules::not_before;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{DbBackend, DbErr, ExprTrait as _, PaginatorTrait as _, QueryOrder as _, QuerySelect as _, Select};
use serde::Serialize;
use utoipa::IntoParams;

use super::counts::{STAYS, wanted};
use super::view::{PhoneSessionView, views};
use crate::phone::filter::PhoneFilter;
use crate::screens::{SCREENS, perm};

/// Why a phone has left a card that it is on still.
const NONE: Text = text("", "");

/// A filter for stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PhoneSessionFilter {
    /// Part of what finds the phone: its code, its user, its card's address.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Of this phone.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub phone_id: Option<i64>,
    /// On this card.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub card_id: Option<i64>,
    /// In this room.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<i64>)]
    pub room_id: Option<i64>,
    /// True: the phone is there still; false: it has left.
    #[serde(default)]
    pub is_on: Option<bool>,
    /// True: somebody uses the phone just now; false: nobody does.
    #[serde(default)]
    pub is_used: Option<bool>,
    /// Why the phone has left.
    #[serde(default)]
    pub why: Option<SessionEnd>,
    /// True: a rule has taken the phone off; false: the others, those that go on among them.
    #[serde(default)]
    pub by_rule: Option<bool>,
    /// Begun at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Begun at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
    /// The phone has left at or after.
    #[serde(default)]
    pub left_start: Option<UtcTime>,
    /// The phone has left at or before.
    #[serde(default)]
    pub left_end: Option<UtcTime>,
}

impl Validate for PhoneSessionFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
        if let (Some(start), Some(end)) = (self.left_start, self.left_end) {
            check.field("leftEnd", not_before(start, end));
        }
    }
}

impl PhoneSessionFilter {
    /// The codes of why a phone has left that are asked for, 0 while it is there; none if all are.
    fn whys(&self) -> Option<Vec<i32>> {
        if self.why.is_none() && self.by_rule.is_none() {
            return None;
        }
        let fits = |why: Option<SessionEnd>| {
            let is_it = self.why.is_none_or(|wanted| why == Some(wanted));
            is_it && self.by_rule.is_none_or(|wanted| why.is_some_and(SessionEnd::is_by_rule) == wanted)
        };
        let all = std::iter::once(None).chain(SessionEnd::ALL.iter().copied().map(Some));
        Some(all.filter(|why| fits(*why)).map(|why| why.map_or(0, |why| why.code().into())).collect())
    }

    /// Whether times are asked for: then their index says which rows are looked at.
    const fn is_timed(&self) -> bool {
        self.start_time.is_some() || self.end_time.is_some() || self.left_start.is_some() || self.left_end.is_some()
    }

    /// The parts of counter cells for this filter; none if cells cannot answer it.
    fn parts(&self) -> Option<Vec<Part>> {
        let Self {
            key_word,
            phone_id,
            card_id,
            room_id,
            is_on,
            is_used,
            why: _,
            by_rule: _,
            start_time: _,
            end_time: _,
            left_start: _,
            left_end: _,
        } = self;
        let is_plain = key_word.is_none() && phone_id.is_none() && card_id.is_none() && !self.is_timed();
        is_plain.then(|| wanted(room_id.map(RoomId), *is_on, *is_used, self.whys()))
    }

    /// Those that ended for one of these reasons.
    fn ended_for(&self, backend: DbBackend, whys: &[i32]) -> Condition {
        // One reason may be rare; several together, or the rows of a phone, a card or some hours, are looked through.
        let is_alone = whys.len() == 1 && self.phone_id.or(self.card_id).is_none() && !self.is_timed();
        let column = if is_alone { Expr::col(By::Why) } else { sql::unindexed(backend, By::Why) };
        let ended: Vec<i32> = whys.iter().copied().filter(|why| *why != 0).collect();
        let goes_on = whys.contains(&0).then(|| Expr::cust("ended_at IS NULL"));
        Condition::any().add(column.is_in(ended)).add_option(goes_on)
    }

    fn apply(&self, now: UtcTime, backend: DbBackend) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self {
            key_word,
            phone_id,
            card_id,
            room_id,
            is_on,
            is_used,
            why: _,
            by_rule: _,
            start_time,
            end_time,
            left_start,
            left_end,
        } = self;
        let found = |text: &str| {
            let filter = PhoneFilter { key_word: Some(text.to_owned()), ..PhoneFilter::default() };
            let phones = filter.at(now).apply(backend, phone::Entity::find());
            phones.select_only().column(phone::Column::Id).into_query()
        };
        Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(By::PhoneId.in_subquery(found(text))))
            .apply_if(*phone_id, |select, phone| select.filter(By::PhoneId.eq(PhoneId(phone))))
            .apply_if(*card_id, |select, card| select.filter(By::CardId.eq(CardId(card))))
            .apply_if(*room_id, |select, room| {
                // Of one phone or card, or of some hours, there are few: they are not looked for among all of a room.
                let is_few = phone_id.or(*card_id).is_some() || self.is_timed();
                let column = if is_few { sql::unindexed(backend, By::RoomId) } else { Expr::col(By::RoomId) };
                select.filter(column.eq(room))
            })
            .apply_if(*is_on, |select, is| {
                select.filter(Expr::cust(if is { "ended_at IS NULL" } else { "ended_at IS NOT NULL" }))
            })
            .apply_if(*is_used, |select, is| {
                select.filter(Expr::cust(if is { "stream_at IS NOT NULL" } else { "stream_at IS NULL" }))
            })
            .apply_if(*start_time, |select, start| select.filter(By::BeganAt.gte(start)))
            .apply_if(*end_time, |select, end| select.filter(By::BeganAt.lte(end)))
            .apply_if(*left_start, |select, start| select.filter(By::EndedAt.gte(start)))
            .apply_if(*left_end, |select, end| select.filter(By::EndedAt.lte(end)))
            .apply_if(self.whys(), |select, whys| select.filter(self.ended_for(backend, &whys)))
    }

    async fn total(&self, now: UtcTime, db: &Db) -> Result<u64, DbErr> {
        match self.parts() {
            Some(parts) => kept::total(db.lookups(), STAYS.list, Cells::With(&parts)).await,
            None => self.apply(now, db.backend()).count(db.read()).await,
        }
    }
}

/// The list, newest first.
#[derive(Clone, Copy, Debug)]
pub struct PhoneSessions;

impl List for PhoneSessions {
    type Filter = PhoneSessionFilter;
    type Row = PhoneSessionView;
    type Sort = Infallible;
    const NAME: Text = title_of(SCREENS, "cloudPhoneSessions");
    const KIND: &'static str = "phoneSession.export";
    const NEED: Need = perm::PHONE_SESSION_EXPORT;

    fn columns() -> Vec<Column<PhoneSessionView, Infallible>> {
        vec![
            column("phone", text("云手机", "Phone"), 14).text(|row: &PhoneSessionView| row.phone.name()),
            column("user", text("用户", "User"), 16).text(|row| row.user.name()),
            column("card", text("安卓卡", "Card"), 16).text(|row| row.card.name()),
            column("room", text("机房", "Room"), 16).text(|row| row.room.name()),
            column("board", text("板卡", "Board"), 10).text(|row| &row.board),
            column("askedAt", text("请求时间", "Asked at"), 20).time(|row| row.asked_at),
            column("waitS", text("等待（秒）", "Wait (s)"), 10).number(|row| row.wait_s),
            column("beganAt", text("上机时间", "On since"), 20).time(|row| Some(row.began_at)),
            column("endedAt", text("下机时间", "Off at"), 20).time(|row| row.ended_at),
            column("onS", text("在机时长（秒）", "On the machine (s)"), 14).number(|row| row.on_s),
            column("why", text("下机原因", "Why it left"), 20).label(|row| row.why.map_or(NONE, SessionEnd::label)),
            column("app", text("使用应用", "Used by"), 20).text(|row| row.app.as_ref().map_or("", Reference::name)),
            column("gateway", text("网关", "Gateway"), 16).text(|row| &row.gateway),
            column("streams", text("使用次数", "Times used"), 10).number(|row| Some(row.streams.into())),
            column("streamedS", text("使用时长（秒）", "Used (s)"), 12).number(|row| Some(row.streamed_s)),
            column("streamAt", text("正在使用，自", "In use since"), 20).time(|row| row.stream_at),
            column("firstStreamAt", text("首次使用", "First used"), 20).time(|row| row.first_stream_at),
            column("lastStreamAt", text("最近使用", "Last used"), 20).time(|row| row.last_stream_at),
            column("silentS", text("网关静默（秒）", "Gateway silent (s)"), 12).number(|row| row.silent_s),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &PhoneSessionFilter,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<PhoneSessionView>> {
        let (db, now) = (from.db(), from.app.clock.now());
        let total = filter.total(now, &from.app.db).await?;
        if page.offset() >= total {
            return Ok(Page::new(page, total, Vec::new()));
        }
        let mut select = filter.apply(now, db.get_database_backend());
        let mut offset = page.offset();
        if let Some(parts) = filter.parts()
            && offset >= kept::BLOCK_SIZE.unsigned_abs()
            && let Some(start) = kept::seek(from.lookups(), STAYS.list, Cells::With(&parts), offset, true).await?
        {
            select = select.filter(By::Id.lte(start.bound));
            offset = start.skip;
        }
        if filter.start_time.is_some() || filter.end_time.is_some() {
            // The index of the times then returns them in order.
            select = select.order_by_desc(By::BeganAt);
        } else if filter.left_start.is_some() || filter.left_end.is_some() {
            select = select.order_by_desc(By::EndedAt);
        }
        let rows = select.order_by_desc(By::Id).offset(offset).limit(page.page_size).all(db).await?;
        Ok(Page::new(page, total, views(&from.app, from.lookups(), rows).await?))
    }

    async fn total(from: &Reader, query: &list::Query<Self>) -> Outcome<u64> {
        Ok(query.filter.total(from.app.clock.now(), &from.app.db).await?)
    }

    async fn rows(from: Reader, query: list::Query<Self>) -> Outcome<Steps<PhoneSessionView>> {
        let now = from.app.clock.now();
        Ok(sheet::steps(move |before: Option<i64>| {
            let (from, filter) = (from.clone(), query.filter.clone());
            async move {
                let limit = step_size(before.as_ref());
                let mut select = filter.apply(now, from.app.db.backend());
                if let Some(before) = before {
                    select = select.filter(By::Id.lt(before));
                }
                let rows = select.order_by_desc(By::Id).limit(limit).all(from.db()).await?;
                let next = (rows.len() as u64 == limit).then(|| rows.last().map(|row| row.id.0)).flatten();
                Ok((views(&from.app, from.lookups(), rows).await?, next))
            }
        }))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/phone/v1/sessions";
    list::Calls {
        path,
        tag: "phoneSession",
        name: "phone_session",
        what: "stays of phones on cards",
        see: perm::PHONE_SESSION_LIST,
    }
    .routes::<PhoneSessions>()
}
