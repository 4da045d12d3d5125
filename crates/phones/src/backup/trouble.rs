//! What needs an operator at the copies: phones that have none or live by a damaged one, and storage nodes that damage them.

use std::collections::HashMap;

use base::attention::{Concern, MOST};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::phone::Life;
use entity::{StoreNodeId, backup, phone, repo, store_node};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, Condition, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};

use super::packages;
use crate::saga::UNSAVED;

/// What was found longer ago says nothing of a node any more, in seconds.
const FRESH: i64 = 7 * 86_400;

/// A phone that has been on its card for so many seconds is told to have no copy: an hour after the first one is due.
const OVERDUE: i64 = 7_200;

const UNSAVED_PHONES: Text = text("{count} 部在机云手机没有备份", "Phones without a copy: {count}");
const ONE_CARD: Text = text(
    "已在机两小时以上，数据只在一张安卓卡上；请检查存储节点和机房代理",
    "On a card for over two hours, and nowhere else. Check the storage nodes and the room agents",
);
const SEE: Text = text("查看云手机", "See the phones");
const KEPT: Text = text("{count} 部云手机的保留副本已损坏", "Phones whose kept copy is damaged: {count}");
const NO_OTHER: Text = text(
    "没有更早的完好备份可用；卡上数据仍在时请立即再次备份",
    "No older backup is whole. Back up again while the card has the data",
);
const LOOK: Text = text("查看备份", "See the backups");
const NODE: Text = text("存储节点 {name} · 发现损坏的备份", "Storage node {name} · damaged backups were found");
const DISK: Text = text(
    "{count} 个备份库受影响；其后续备份写入新的备份库",
    "Repositories affected: {count}. Further backups go to new ones",
);
const CHECK_DISK: Text = text("请检查其磁盘", "Check its disk");

/// Phones that have been on their cards for long enough to be copied, and are not: each of them hangs on one card.
///
/// # Errors
/// When a read fails.
pub async fn unsaved(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let lang = ctx.lang();
    let since = ctx.app.clock.now().plus_seconds(-OVERDUE).millis();
    // A card that says that it is nobody's has nothing of the phone, which is another trouble.
    let stays = format!(
        "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id WHERE stay.id = phone.holds_id \
         AND stay.began_at <= {since} AND card.mark <> '-')"
    );
    let select = phone::Entity::find().filter(Expr::cust(UNSAVED)).filter(phone::Column::Life.eq(Life::Active));
    let count = select.filter(Expr::cust(stays)).count(ctx.read()).await?;
    if count == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Concern {
        key: "phoneUnsaved".to_owned(),
        urgent: true,
        title: UNSAVED_PHONES.with("count", count).get(lang),
        cause: ONE_CARD.get(lang).to_owned(),
        since: None,
        act: SEE.get(lang).to_owned(),
        path: "/cloudPhone/list?noBackup=true".to_owned(),
    }])
}

/// Phones that live by a damaged copy, and nodes where damage was found lately.
///
/// # Errors
/// When a read fails.
pub async fn damages(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let (db, lang) = (ctx.read(), ctx.lang());
    let mut found = Vec::new();
    let damaged = backup::Entity::find().select_only().column(backup::Column::Id);
    let damaged = damaged.filter(backup::Column::Damage.ne("")).into_query();
    let living = Condition::any()
        .add(phone::Column::KeptId.in_subquery(damaged))
        .add(phone::Column::KeptId.in_subquery(packages::copies_with_damage()));
    let living = phone::Entity::find().filter(living).count(db).await?;
    if living > 0 {
        found.push(Concern {
            key: "backupDamaged".to_owned(),
            urgent: true,
            title: KEPT.with("count", living).get(lang),
            cause: NO_OTHER.get(lang).to_owned(),
            since: None,
            act: LOOK.get(lang).to_owned(),
            path: "/storage/backup?isDamaged=true&isKept=true".to_owned(),
        });
    }
    let lately = ctx.app.clock.now().plus_seconds(-FRESH);
    let nodes: Vec<(StoreNodeId, i64, Option<UtcTime>)> = repo::Entity::find()
        .select_only()
        .column(repo::Column::NodeId)
        .column_as(repo::Column::Id.count(), "repos")
        .column_as(repo::Column::DamagedAt.min(), "since")
        .filter(repo::Column::DamagedAt.gte(lately))
        .group_by(repo::Column::NodeId)
        .order_by_asc(repo::Column::NodeId)
        .limit(MOST as u64)
        .into_tuple()
        .all(db)
        .await?;
    let names = store_node::Entity::find().filter(store_node::Column::Id.is_in(nodes.iter().map(|node| node.0)));
    let names: HashMap<StoreNodeId, String> =
        names.all(db).await?.into_iter().map(|node| (node.id, node.name)).collect();
    found.extend(nodes.into_iter().map(|(id, repos, since)| Concern {
        key: format!("storeNodeDamage-{id}"),
        urgent: false,
        title: NODE.with("name", names.get(&id).map_or("", String::as_str)).get(lang),
        cause: DISK.with("count", repos).get(lang),
        since,
        act: CHECK_DISK.get(lang).to_owned(),
        path: format!("/storage/backup?isDamaged=true&nodeId={id}"),
    }));
    Ok(found)
}
