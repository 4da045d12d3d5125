//! Copies the catalogue into the menu table at start.
//!
//! What operators changed (names, order, visibility, place) survives, entries of their own stay; only
//! what the catalogue has and the table lacks is added, and built-in entries that the catalogue no
//! longer has are removed. The built-in group always holds everything.

use std::collections::{HashMap, HashSet};

use db::WriteTx;
use entity::menu::MenuKind as Kind;
use entity::{GroupId, MenuId, group_menu, menu, permission_group};
use kernel::time::UtcTime;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, DbErr, EntityTrait as _, QueryFilter as _};

use super::catalog::Catalogue;

/// The name of the group that holds everything.
pub const BUILTIN_GROUP: &str = "超级管理员组";

/// Brings the menu table up to the catalogue.
///
/// # Errors
/// When a read or a write fails.
pub async fn menu(tx: &WriteTx, catalogue: &Catalogue, now: UtcTime) -> Result<(), DbErr> {
    let present: HashMap<String, menu::Model> =
        menu::Entity::find().all(&**tx).await?.into_iter().map(|row| (row.code.clone(), row)).collect();
    let mut wanted = HashSet::new();
    for (at, (section, screens)) in catalogue.tree().iter().enumerate() {
        let entry = New {
            parent: None,
            kind: Kind::Section,
            code: section.code,
            name: section.name.zh,
            path: section.path,
            icon: section.icon,
            at,
        };
        let section_id = ensure(tx, &present, &mut wanted, entry, now).await?;
        for (at, screen) in screens.iter().enumerate() {
            let entry = New {
                parent: Some(section_id),
                kind: Kind::Screen,
                code: screen.code,
                name: screen.name.zh,
                path: screen.path,
                icon: screen.icon,
                at,
            };
            let screen_id = ensure(tx, &present, &mut wanted, entry, now).await?;
            for (at, (code, name)) in screen.buttons.iter().enumerate() {
                let entry =
                    New { parent: Some(screen_id), kind: Kind::Button, code, name: name.zh, path: "", icon: "", at };
                ensure(tx, &present, &mut wanted, entry, now).await?;
            }
        }
    }
    let mut gone: Vec<&menu::Model> =
        present.values().filter(|row| row.is_builtin && !wanted.contains(row.code.as_str())).collect();
    // Buttons before screens before sections: a parent goes after its children.
    gone.sort_by_key(|row| std::cmp::Reverse(row.kind));
    for row in gone {
        let children = menu::Entity::find().filter(menu::Column::ParentId.eq(row.id)).one(&**tx).await?;
        if children.is_none() {
            menu::Entity::delete_by_id(row.id).exec(&**tx).await?;
        }
    }
    let group = builtin_group(tx, now).await?;
    let all: Vec<group_menu::ActiveModel> = menu::Entity::find()
        .all(&**tx)
        .await?
        .into_iter()
        .map(|row| group_menu::ActiveModel { group_id: Set(group), menu_id: Set(row.id) })
        .collect();
    group_menu::Entity::insert_many(all)
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// The group that holds everything; made where it is missing.
///
/// # Errors
/// When a read or a write fails.
pub async fn builtin_group(tx: &WriteTx, now: UtcTime) -> Result<GroupId, DbErr> {
    let found =
        permission_group::Entity::find().filter(permission_group::Column::IsBuiltin.eq(true)).one(&**tx).await?;
    if let Some(group) = found {
        return Ok(group.id);
    }
    let group = permission_group::ActiveModel {
        name: Set(BUILTIN_GROUP.to_owned()),
        is_builtin: Set(true),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    Ok(permission_group::Entity::insert(group).exec(&**tx).await?.last_insert_id)
}

struct New {
    parent: Option<MenuId>,
    kind: Kind,
    code: &'static str,
    name: &'static str,
    path: &'static str,
    icon: &'static str,
    at: usize,
}

async fn ensure(
    tx: &WriteTx,
    present: &HashMap<String, menu::Model>,
    wanted: &mut HashSet<&'static str>,
    entry: New,
    now: UtcTime,
) -> Result<MenuId, DbErr> {
    wanted.insert(entry.code);
    if let Some(row) = present.get(entry.code) {
        return Ok(row.id);
    }
    let row = menu::ActiveModel {
        parent_id: Set(entry.parent),
        kind: Set(entry.kind),
        code: Set(entry.code.to_owned()),
        name: Set(entry.name.to_owned()),
        path: Set(entry.path.to_owned()),
        icon: Set(entry.icon.to_owned()),
        sort: Set(i32::try_from(entry.at).unwrap_or(0) * 10),
        is_visible: Set(true),
        is_builtin: Set(true),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    Ok(menu::Entity::insert(row).exec(&**tx).await?.last_insert_id)
}
