//! The demo company's staff: groups with their permissions, and the people in them.

use std::collections::HashMap;

use accounts::auth::Auth;
use accounts::auth::password;
use base::app::App;
use base::handed;
use entity::menu::MenuKind as Kind;
use entity::operator::{AccountType, MustChange};
use entity::{GroupId, MenuId, OperatorId, group_menu, menu, operator, permission_group};
use kernel::time::UtcTime;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, EntityTrait as _};

use crate::boot;

/// A group and its permission codes.
struct Group {
    name: &'static str,
    codes: &'static [&'static str],
}

const GROUPS: [Group; 4] = [
    Group {
        name: "客服专员权限组",
        codes: &[
            "dashboard:view",
            "clientUser:list",
            "clientUser:get",
            "clientUser:update",
            "clientUser:disable",
            "clientUserRecord:list",
            "clientUserLogout:list",
            "clientUserLogout:cancel",
            "phone:list",
            "phone:get",
        ],
    },
    Group {
        name: "运营管理权限组",
        codes: &[
            "dashboard:view",
            "task:list",
            "clientUser:list",
            "clientUser:get",
            "clientUser:create",
            "clientUser:update",
            "clientUser:disable",
            "clientUser:export",
            "clientUser:import",
            "clientUserRecord:list",
            "clientUserLogout:list",
            "clientUserLogout:cancel",
            "clientUserLogout:complete",
            "phone:list",
            "phone:get",
            "phone:create",
            "phone:update",
            "phone:renew",
            "phone:changePlan",
            "phone:freeze",
            "phone:thaw",
            "phone:export",
            "phoneRule:get",
            "phoneSession:list",
            "operationLog:list",
        ],
    },
    Group {
        name: "数据查看权限组",
        codes: &["dashboard:view", "clientUser:list", "clientUserRecord:list", "operationLog:list"],
    },
    Group {
        name: ROOM_STAFF,
        codes: &[
            "dashboard:view",
            "devicePanel:view",
            "device:list",
            "device:get",
            "device:maintain",
            "device:reboot",
            "device:power",
            "device:shell",
            "device:files",
            "device:configure",
            "room:list",
            "roomAgent:list",
            "deviceMap:view",
            "deviceMonitor:view",
            "bmc:list",
            "finding:list",
            "operation:list",
            "operation:control",
            "operationLog:list",
            "phone:list",
            "phone:screen",
        ],
    },
];

/// The group of those who look after rooms, which only a whole company has.
const ROOM_STAFF: &str = "机房运维权限组";
/// The one in it.
pub const ROOM_STAFF_NAME: &str = "yunwei_zhao";

/// A person, their group (by its index above), and whether they may still sign in.
struct Person {
    username: &'static str,
    group: usize,
    kind: AccountType,
    email: &'static str,
    phone: &'static str,
    remark: &'static str,
    enabled: bool,
}

const PEOPLE: [Person; 5] = [
    Person {
        username: "kefu_chen",
        group: 0,
        kind: AccountType::Normal,
        email: "chen.xue@skyrack.example",
        phone: "13800010001",
        remark: "客服一组组长 陈雪",
        enabled: true,
    },
    Person {
        username: "kefu_liu",
        group: 0,
        kind: AccountType::Normal,
        email: "liu.yang@skyrack.example",
        phone: "13800010002",
        remark: "客服一组 刘洋",
        enabled: true,
    },
    Person {
        username: "yunying_zhou",
        group: 1,
        kind: AccountType::Power,
        email: "zhou.min@skyrack.example",
        phone: "13800010003",
        remark: "运营主管 周敏",
        enabled: true,
    },
    Person {
        username: "dev_wang",
        group: 2,
        kind: AccountType::Developer,
        email: "wang.lei@skyrack.example",
        phone: "13800010004",
        remark: "外包开发 王磊，合同已到期",
        enabled: false,
    },
    Person {
        username: ROOM_STAFF_NAME,
        group: 3,
        kind: AccountType::Power,
        email: "zhao.lei@skyrack.example",
        phone: "13800010005",
        remark: "机房运维 赵磊",
        enabled: true,
    },
];

/// The people who act in the demo.
#[derive(Clone, Copy, Debug)]
pub struct Staff {
    pub service: OperatorId,
    pub manager: OperatorId,
}

/// Creates the groups and their people.
///
/// Those who look after rooms are there only if there are rooms to look after: `has_rooms`. Nobody knows their passwords, unless `SKYRACK_ADMIN_PASSWORD` is set: then all have that one.
pub async fn found(app: &App, has_rooms: bool) -> anyhow::Result<Staff> {
    let now = app.clock.now();
    let chosen = handed::get(handed::ADMIN_PASSWORD).map(|password| password.as_str().to_owned());
    let secret = chosen.unwrap_or_else(boot::random_password);
    let hash = app
        .part::<Auth>()
        .hasher
        .hash(password::md5_hex(&secret))
        .await
        .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let tx = app.db.begin_write().await?;
    let menus: HashMap<String, menu::Model> =
        menu::Entity::find().all(&*tx).await?.into_iter().map(|row| (row.code.clone(), row)).collect();
    let mut groups = Vec::new();
    for Group { name, codes } in GROUPS.iter().filter(|group| has_rooms || group.name != ROOM_STAFF) {
        let row = permission_group::ActiveModel {
            name: Set((*name).to_owned()),
            is_builtin: Set(false),
            created_at: Set(now.plus_seconds(-400 * 86_400)),
            updated_at: Set(now.plus_seconds(-30 * 86_400)),
            ..Default::default()
        };
        let group = permission_group::Entity::insert(row).exec(&*tx).await?.last_insert_id;
        let allotted = codes.iter().filter_map(|code| menus.get(*code)).flat_map(|button| with_parents(&menus, button));
        let rows = allotted.map(|menu_id| group_menu::ActiveModel { group_id: Set(group), menu_id: Set(menu_id) });
        group_menu::Entity::insert_many(rows)
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(&*tx)
            .await?;
        groups.push(group);
    }
    let mut people = Vec::new();
    for person in &PEOPLE {
        let Some(group) = groups.get(person.group) else { continue };
        let row = operator_row(person, *group, hash.clone(), now);
        people.push(operator::Entity::insert(row).exec(&*tx).await?.last_insert_id);
    }
    tx.commit().await?;
    app.sessions.forget();
    Ok(Staff { service: people[0], manager: people[2] })
}

fn operator_row(person: &Person, group: GroupId, hash: String, now: UtcTime) -> operator::ActiveModel {
    let Person { username, group: _, kind, email, phone, remark, enabled } = person;
    operator::ActiveModel {
        username: Set((*username).to_owned()),
        password_hash: Set(hash),
        password_set_at: Set(now),
        must_change: Set(MustChange::No),
        group_id: Set(Some(group)),
        account_type: Set(*kind),
        email: Set((*email).to_owned()),
        phone: Set((*phone).to_owned()),
        remark: Set((*remark).to_owned()),
        is_enabled: Set(*enabled),
        created_at: Set(now.plus_seconds(-390 * 86_400)),
        updated_at: Set(now.plus_seconds(-20 * 86_400)),
        ..Default::default()
    }
}

/// A button with its page and its section.
fn with_parents<'a>(
    menus: &'a HashMap<String, menu::Model>,
    button: &'a menu::Model,
) -> impl Iterator<Item = MenuId> + 'a {
    let by_id = move |id: Option<MenuId>| menus.values().find(|row| Some(row.id) == id && row.kind != Kind::Button);
    std::iter::successors(Some(button), move |row| by_id(row.parent_id)).map(|row| row.id)
}
