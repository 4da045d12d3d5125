//! Copies as a list and as a file.

use base::access::catalog::title_of;
use base::prelude::*;
use entity::backup::{BackupKind, BackupState, Column as By, Entity};
use entity::{phone, repo};
use kernel::rules::max_chars;
use sea_orm::{Condition, QuerySelect as _};
use serde::Serialize;
use utoipa::IntoParams;

use super::packages;
use super::view::{BackupView, views};
use crate::phone::store::PhoneFilter;
use crate::screens::{SCREENS, perm};

/// A filter for copies.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
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
        check.optional("board", self.board.as_deref(), |text| max_chars(text, 32));
        check.period(self.start_time, self.end_time);
    }
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
            column("safeUntil", text("保护至", "Safe until"), 20).time(|row| row.safe_until),
            column("node", text("存储节点", "Storage node"), 20).text(|row| row.node.name()),
            column("card", text("源安卓卡", "Source card"), 16).text(|row| row.card.name()),
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
        let db = from.db();
        let BackupFilter { key_word, phone_id, state, kind, node_id, board, is_kept, is_damaged, start_time, end_time } =
            filter;
        let kept = || {
            let select = phone::Entity::find().select_only().column(phone::Column::KeptId);
            select.filter(phone::Column::KeptId.is_not_null()).into_query()
        };
        let found = |text: &str| {
            let filter = PhoneFilter { key_word: Some(text.to_owned()), ..PhoneFilter::default() };
            let phones = filter.at(from.app.clock.now()).apply(db.get_database_backend(), phone::Entity::find());
            phones.select_only().column(phone::Column::Id).into_query()
        };
        let on = |node: i64| {
            let repos = repo::Entity::find().select_only().column(repo::Column::Id);
            repos.filter(repo::Column::NodeId.eq(node)).into_query()
        };
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| select.filter(By::PhoneId.in_subquery(found(text))))
            .apply_if(*phone_id, |select, phone| select.filter(By::PhoneId.eq(phone)))
            .apply_if(*state, |select, state| select.filter(By::State.eq(state)))
            .apply_if(*kind, |select, kind| select.filter(By::Kind.eq(kind)))
            .apply_if(*node_id, |select, node| select.filter(By::RepoId.in_subquery(on(node))))
            .apply_if(board.as_deref(), |select, board| select.filter(By::Board.eq(board)))
            .apply_if(*is_kept, |select, is| {
                select.filter(if is { By::Id.in_subquery(kept()) } else { By::Id.not_in_subquery(kept()) })
            })
            .apply_if(*is_damaged, |select, is| {
                let damaged =
                    Condition::any().add(By::Damage.ne("")).add(By::Id.in_subquery(packages::copies_with_damage()));
                select.filter(if is { damaged } else { damaged.not() })
            })
            .apply_if(*start_time, |select, start| select.filter(By::BeganAt.gte(start)))
            .apply_if(*end_time, |select, end| select.filter(By::BeganAt.lte(end)));
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(Page::new(page, total, views(&from.app, db, list, from.lang).await?))
    }
}

/// Its calls.
pub fn router() -> DomainRouter {
    let path = "/api/storage/v1/backups";
    list::Calls { path, tag: "storage", name: "backup", what: "copies of phones", see: perm::BACKUP_LIST }
        .routes::<Backups>()
}
