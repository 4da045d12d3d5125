//! Copies as a list and as a file.

use base::access::catalog::title_of;
use base::prelude::*;
use db::kept::{self, Cells, Part};
use db::{Db, sql};
use entity::backup::{BackupKind, BackupState, Column as By, Entity};
use entity::{BackupId, ClientUserId, phone};
use kernel::rules::max_chars;
use sea_orm::sea_query::{Expr, SelectStatement, UnionType};
use sea_orm::{DbBackend, DbErr, ExprTrait as _, PaginatorTrait as _, QueryOrder as _, QuerySelect as _, Select};
use serde::Serialize;
use utoipa::IntoParams;

use super::counts::{COPIES, Wanted, board_code, of_image};
use super::packages;
use super::view::{BackupView, views};
use crate::phone::counts::Wanted as Phones;
use crate::phone::filter::PhoneFilter;
use crate::screens::{SCREENS, perm};

/// A filter for copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct BackupFilter {
    /// Part of what finds the phone: its code, its user, its card's address.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Of this phone.
    #[serde(default)]
    pub phone_id: Option<i64>,
    /// Of phones of this user.
    #[serde(default)]
    pub user_id: Option<i64>,
    /// In this state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<BackupState>,
    /// Of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<BackupKind>,
    /// On this storage node.
    #[serde(default)]
    pub node_id: Option<i64>,
    /// Made of a card that ran this image.
    #[serde(default)]
    #[param(max_length = 64)]
    pub image: Option<String>,
    /// Of phones of this hardware family.
    #[serde(default)]
    #[param(max_length = 32)]
    pub board: Option<String>,
    /// True: those that phones live by; false: the others.
    #[serde(default)]
    pub is_kept: Option<bool>,
    /// True: those of which a later reading found something damaged; false: the others.
    #[serde(default)]
    pub is_damaged: Option<bool>,
    /// True: made while the phone went on; false: the others.
    #[serde(default)]
    pub is_live: Option<bool>,
    /// True: those that were read back; false: those that nobody has read back yet.
    #[serde(default)]
    pub is_verified: Option<bool>,
    /// Begun at or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Begun at or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for BackupFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.optional("image", self.image.as_deref(), |text| max_chars(text, 64));
        check.optional("board", self.board.as_deref(), |text| max_chars(text, 32));
        check.period(self.start_time, self.end_time);
    }
}

/// A copy that its phone lives by.
const IS_KEPT: &str = "EXISTS (SELECT 1 FROM phone WHERE phone.id = backup.phone_id AND phone.kept_id = backup.id)";
/// The same for one page: PostgreSQL takes what is looked for above for rare, and looks at all copies before it shows one.
const IS_KEPT_HERE: &str = "(SELECT phone.kept_id FROM phone WHERE phone.id = backup.phone_id) = backup.id";

/// Those that phones live by, as their index has them.
fn kept_ids(is_descending: bool, offset: u64, limit: u64) -> SelectStatement {
    use phone::Column::KeptId;
    let order = if is_descending { sea_orm::Order::Desc } else { sea_orm::Order::Asc };
    let kept = phone::Entity::find().select_only().column(KeptId).filter(KeptId.is_not_null());
    kept.order_by(KeptId, order).offset(offset).limit(limit).into_query()
}

impl BackupFilter {
    /// The parts of counter cells for this filter; none if cells cannot answer it.
    fn parts(&self) -> Option<Vec<Part>> {
        let Self {
            key_word,
            phone_id,
            user_id,
            state,
            kind,
            node_id,
            image,
            board,
            is_kept,
            is_damaged,
            is_live,
            is_verified,
            start_time: _,
            end_time: _,
        } = self;
        let of_phones = key_word.is_some() || phone_id.is_some() || user_id.is_some();
        let told = image.is_some() || is_kept.is_some() || is_damaged.is_some();
        if of_phones || told || self.is_timed() {
            return None;
        }
        let board = match board.as_deref() {
            Some(board) => Some(board_code(board)?),
            None => None,
        };
        let (is_live, is_verified) = (*is_live, *is_verified);
        Some(Wanted { board, node: *node_id, state: *state, kind: *kind, is_verified, is_live }.parts())
    }

    /// Whether times are asked for: then their index says which rows are looked at.
    const fn is_timed(&self) -> bool {
        self.start_time.is_some() || self.end_time.is_some()
    }

    /// The copies that are asked for; `by_id` if they are wanted in the order of their ids.
    fn apply(&self, now: UtcTime, backend: DbBackend, by_id: bool) -> Select<Entity> {
        // Every field is named, so that a new filter cannot be forgotten here.
        let Self {
            key_word,
            phone_id,
            user_id,
            state,
            kind,
            node_id,
            image,
            board,
            is_kept,
            is_damaged,
            is_live,
            is_verified,
            start_time,
            end_time,
        } = self;
        let of_phones = key_word.is_some() || phone_id.is_some() || user_id.is_some();
        // Few are of these phones, or of those hours: they are not looked for among all of a node.
        let is_first = by_id && !of_phones && !self.is_timed();
        let among = |column: By| if is_first { Expr::col(column) } else { sql::unindexed(backend, column) };
        let its_image = || if is_first { Expr::col(By::Image) } else { sql::unindexed_text(backend, "image") };
        let ids = |phones: Select<phone::Entity>| phones.select_only().column(phone::Column::Id).into_query();
        let found = |text: &str| {
            let filter = PhoneFilter { key_word: Some(text.to_owned()), ..PhoneFilter::default() };
            ids(filter.at(now).apply(backend, phone::Entity::find()))
        };
        let of_user = |user: i64| ids(phone::Entity::find().filter(phone::Column::UserId.eq(ClientUserId(user))));
        Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(By::PhoneId.in_subquery(found(text))))
            .apply_if(*phone_id, |select, phone| select.filter(By::PhoneId.eq(phone)))
            .apply_if(*user_id, |select, user| select.filter(By::PhoneId.in_subquery(of_user(user))))
            .apply_if(*state, |select, state| select.filter(among(By::State).eq(state.code())))
            .apply_if(*kind, |select, kind| select.filter(By::Kind.eq(kind)))
            .apply_if(*node_id, |select, node| select.filter(among(By::NodeId).eq(node)))
            .apply_if(image.as_deref(), |select, image| select.filter(its_image().eq(image)))
            .apply_if(board.as_deref(), |select, board| select.filter(By::Board.eq(board)))
            .apply_if(*is_kept, |select, is| {
                select.filter(if is { Expr::cust(IS_KEPT) } else { Expr::cust(format!("NOT {IS_KEPT}")) })
            })
            .apply_if(*is_damaged, |select, is| {
                select.filter(if is { By::Id.in_subquery(damaged()) } else { By::Id.not_in_subquery(damaged()) })
            })
            // As the indexes have it.
            .apply_if(*is_live, |select, is| select.filter(Expr::cust(if is { "is_live" } else { "NOT is_live" })))
            .apply_if(*is_verified, |select, is| {
                select.filter(Expr::cust(if is { "verified_at IS NOT NULL" } else { "verified_at IS NULL" }))
            })
            .apply_if(*start_time, |select, start| select.filter(By::BeganAt.gte(start)))
            .apply_if(*end_time, |select, end| select.filter(By::BeganAt.lte(end)))
    }

    async fn total(&self, now: UtcTime, db: &Db) -> Result<u64, DbErr> {
        if let Some(parts) = self.parts() {
            return kept::total(db.lookups(), COPIES.list, Cells::With(&parts)).await;
        }
        if let Some(is_kept) = self.is_kept
            && *self == (Self { is_kept: Some(is_kept), ..Self::default() })
        {
            // Each phone that lives by a copy lives by one.
            let kept = Phones::of_kept().total(db.lookups()).await?;
            return if is_kept {
                Ok(kept)
            } else {
                Ok(kept::total(db.lookups(), COPIES.list, Cells::All).await?.saturating_sub(kept))
            };
        }
        if let Some(image) = self.image.clone().filter(|image| !image.is_empty())
            && *self == (Self { image: Some(image.clone()), ..Self::default() })
        {
            return of_image(db.lookups(), &image).await;
        }
        let count = async |all: &Self| all.apply(now, db.backend(), true).count(db.read()).await;
        if self.is_damaged == Some(false) {
            // Nearly all: without the few that are.
            let few = count(&Self { is_damaged: Some(true), ..self.clone() }).await?;
            let all = Box::pin(Self { is_damaged: None, ..self.clone() }.total(now, db)).await?;
            return Ok(all.saturating_sub(few));
        }
        count(self).await
    }
}

/// Copies of which a later reading found something damaged, as their index has them, or a package that they need.
fn damaged() -> SelectStatement {
    let mut own = Entity::find().select_only().column(By::Id).filter(Expr::cust("backup.damage <> ''")).into_query();
    own.union(UnionType::Distinct, packages::copies_with_damage()).take()
}

/// The list, newest first where no order is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Backups;

impl List for Backups {
    type Filter = BackupFilter;
    type Row = BackupView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "storageBackup");
    const KIND: &'static str = "backup.export";
    const NEED: Need = perm::BACKUP_EXPORT;

    fn columns() -> Vec<Column<BackupView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).sorted_by(By::Id).number(|row: &BackupView| Some(row.id.0)),
            column("phone", text("云手机", "Phone"), 14).text(|row| row.phone.name()),
            column("user", text("用户", "User"), 16).text(|row| row.user.name()),
            column("state", text("状态", "State"), 12).sorted_by(By::State).label(|row| row.state.label()),
            column("reason", text("原因", "Reason"), 30).text(|row| &row.reason),
            column("damage", text("损坏", "Damage"), 30).text(|row| &row.damage),
            column("kind", text("类型", "Kind"), 10).label(|row| row.kind.label()),
            column("isKept", text("保留副本", "Kept copy"), 10).flag(|row| row.is_kept),
            column("isLive", text("在线备份", "Live"), 10).flag(|row| row.is_live),
            column("isShrunk", text("数据变少", "Shrunk"), 10).flag(|row| row.is_shrunk),
            column("isSalvaged", text("隔离数据", "Quarantined data"), 10).flag(|row| row.is_salvaged),
            column("isRebuilt", text("重建的记录", "Found at its node"), 10).flag(|row| row.is_rebuilt),
            column("safeUntil", text("保护至", "Safe until"), 20).time(|row| row.safe_until),
            column("leftAt", text("改用较早备份", "Set back from"), 20).time(|row| row.left_at),
            column("node", text("存储节点", "Storage node"), 20).text(|row| row.node.name()),
            column("card", text("源安卓卡", "Source card"), 16)
                .text(|row| row.card.as_ref().map_or("", |card| card.name())),
            column("image", text("镜像版本", "Image"), 16).text(|row| &row.image),
            column("board", text("板卡", "Board"), 10).text(|row| &row.board),
            column("bytes", text("大小 (字节)", "Size (bytes)"), 16).sorted_by(By::Bytes).number(|row| Some(row.bytes)),
            column("addedBytes", text("新增占用 (字节)", "Added (bytes)"), 16)
                .sorted_by(By::AddedBytes)
                .number(|row| Some(row.added_bytes)),
            column("files", text("文件数", "Files"), 10).sorted_by(By::Files).number(|row| Some(row.files)),
            column("millis", text("耗时 (毫秒)", "Time taken (ms)"), 14)
                .sorted_by(By::Millis)
                .number(|row| Some(row.millis)),
            column("restores", text("恢复次数", "Restores"), 10).number(|row| Some(row.restores.into())),
            column("beganAt", text("开始时间", "Began at"), 20).sorted_by(By::BeganAt).time(|row| Some(row.began_at)),
            column("verifiedAt", text("校验时间", "Verified at"), 20)
                .sorted_by(By::VerifiedAt)
                .time(|row| row.verified_at),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &BackupFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<BackupView>> {
        let (db, now) = (from.db(), from.app.clock.now());
        let total = filter.total(now, &from.app.db).await?;
        if page.offset() >= total {
            return Ok(Page::new(page, total, Vec::new()));
        }
        let by_id = matches!(order.by, None | Some(By::Id));
        let is_descending = order.by.is_none() || order.direction == Direction::Desc;
        let (mut others, mut offset) = (filter.clone(), page.offset());
        let is_of_kept = others.is_kept.take_if(|is_so| *is_so).is_some();
        let mut select = others.apply(now, db.get_database_backend(), by_id);
        if is_of_kept && by_id && others == BackupFilter::default() {
            select = select.filter(By::Id.in_subquery(kept_ids(is_descending, offset, page.page_size)));
            offset = 0;
        } else if is_of_kept {
            select = select.filter(Expr::cust(IS_KEPT_HERE));
        }
        if by_id
            && let Some(parts) = filter.parts()
            && offset >= kept::BLOCK_SIZE.unsigned_abs()
            && let Some(start) =
                kept::seek(from.lookups(), COPIES.list, Cells::With(&parts), offset, is_descending).await?
        {
            let bound = BackupId(start.bound);
            select = select.filter(if is_descending { By::Id.lte(bound) } else { By::Id.gte(bound) });
            offset = start.skip;
        }
        if order.by.is_none() && filter.is_timed() {
            // The index of the times then returns them in order.
            select = select.order_by_desc(By::BeganAt);
        }
        let select = order.apply(select, Direction::Desc).offset(offset).limit(page.page_size);
        let list = select.all(db).await?;
        Ok(Page::new(page, total, views(&from.app, from.lookups(), list, from.lang).await?))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/storage/v1/backups";
    list::Calls { path, tag: "storage", name: "backup", what: "copies of phones", see: perm::BACKUP_LIST }
        .routes::<Backups>()
}
