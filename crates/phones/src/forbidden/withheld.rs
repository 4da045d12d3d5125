//! Apps of copies that do not come with them: which those are, and what is told of them. Only what was installed is left out;
//! what the image has is there anyway.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::fault::Outcome;
use db::WriteTx;
use entity::forbidden_app::{Column, Entity};
use entity::phone::{Model as Phone, Plan};
use entity::saga::{self, SagaKind, SagaState};
use entity::{BackupId, PhoneId, PlacementId, SagaId, backup, withheld_app};
use kernel::text::{Message, Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Condition;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use serde::Serialize;
use utoipa::ToSchema;
use wire::copy::Manifest;

/// What applications know it by.
pub const CODE: &str = "app_withheld";
/// Seconds for which a copy is kept of which an app did not come.
pub const KEPT: i64 = 30 * 86_400;

const WORDS: Text = text(
    "应用 {app} 已被禁止，未恢复，其数据保留 30 天",
    "{app} is forbidden here and was not restored; its data is kept for 30 days",
);

/// An app that did not come with a copy, since phones may not have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithheldApp {
    pub package: String,
    /// What the list of forbidden apps called it.
    pub name: String,
    /// The copy that has it.
    pub backup_id: BackupId,
    /// Until when that one is kept at least; none while the phone has not come, or where nothing keeps it any more.
    pub kept_until: Option<UtcTime>,
}

impl WithheldApp {
    /// What is said of it to people.
    #[must_use]
    pub fn words(&self) -> Message {
        WORDS.with("app", &self.name)
    }
}

/// Rows of the list that hold for phones of a plan.
pub fn holds_for(plan: Plan) -> Condition {
    Condition::any().add(Column::Plan.is_null()).add(Column::Plan.eq(plan))
}

/// The apps that phones may not have, by their packages: each plan's with what it is called.
struct List(BTreeMap<(Option<i16>, String), String>);

impl List {
    async fn read(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let rows = Entity::find().all(db).await?.into_iter();
        Ok(Self(rows.map(|row| ((row.plan.map(Plan::code), row.package), row.name)).collect()))
    }

    /// Those of the apps of a copy that a phone of this plan may not have: package, and what it is called.
    fn among(&self, manifest: &str, plan: Plan) -> Vec<(String, String)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        // A copy that does not say what it has brings no apps.
        let manifest: Manifest = serde_json::from_str(manifest).unwrap_or_default();
        let own: HashSet<String> =
            manifest.packages.into_iter().filter(|package| package.is_own).map(|package| package.name).collect();
        let name = |package: &String| {
            let of = |plan| self.0.get(&(plan, package.clone()));
            of(Some(plan.code())).or_else(|| of(None)).cloned()
        };
        let forbidden = |package: String| name(&package).map(|name| (package, name));
        own.into_iter().filter_map(forbidden).collect()
    }
}

/// Writes down which apps of a copy something leaves out that begins to bring them to a phone of this plan, instead of what was
/// written before.
///
/// # Errors
/// When the database refuses.
pub async fn withhold(tx: &WriteTx, saga: SagaId, copy: &backup::Model, plan: Plan) -> Outcome<()> {
    withheld_app::Entity::delete_many().filter(withheld_app::Column::SagaId.eq(saga)).exec(&**tx).await?;
    let apps = List::read(&**tx).await?.among(&copy.manifest, plan);
    if apps.is_empty() {
        return Ok(());
    }
    let row =
        |(package, name)| withheld_app::ActiveModel { saga_id: Set(saga), package: Set(package), name: Set(name) };
    withheld_app::Entity::insert_many(apps.into_iter().map(row)).exec_without_returning(&**tx).await?;
    Ok(())
}

/// The packages that something leaves out which brings the apps of a copy.
///
/// # Errors
/// When the read fails.
pub async fn packages(db: &impl ConnectionTrait, saga: SagaId) -> Result<Vec<String>, DbErr> {
    let select = withheld_app::Entity::find().select_only().column(withheld_app::Column::Package);
    let select = select.filter(withheld_app::Column::SagaId.eq(saga)).order_by_asc(withheld_app::Column::Package);
    select.into_tuple().all(db).await
}

/// The packages with which a phone did not come on the card of a stay, although this copy, which it came with, has them.
///
/// # Errors
/// When a read fails.
pub async fn of_copy(
    db: &impl ConnectionTrait,
    stay: Option<PlacementId>,
    copy: BackupId,
) -> Result<Vec<String>, DbErr> {
    let Some(stay) = stay else { return Ok(Vec::new()) };
    let came = came(&[stay]).filter(saga::Column::BackupId.eq(copy)).one(db).await?;
    match came {
        Some(saga) => packages(db, saga.id).await,
        None => Ok(Vec::new()),
    }
}

/// The put-ons with which phones have come on the cards of these stays, with a copy.
fn came(stays: &[PlacementId]) -> Select<saga::Entity> {
    saga::Entity::find()
        .filter(saga::Column::PlacementId.is_in(stays.iter().copied()))
        .filter(saga::Column::Kind.eq(SagaKind::PutOn))
        .filter(saga::Column::State.eq(SagaState::Done))
        .filter(saga::Column::BackupId.is_not_null())
}

/// What these have left out.
///
/// # Errors
/// When a read fails.
pub async fn of_sagas(
    db: &impl ConnectionTrait,
    sagas: &[saga::Model],
) -> Result<HashMap<SagaId, Vec<WithheldApp>>, DbErr> {
    let copies: HashMap<SagaId, BackupId> = sagas.iter().filter_map(|saga| Some((saga.id, saga.backup_id?))).collect();
    if copies.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = withheld_app::Entity::find()
        .filter(withheld_app::Column::SagaId.is_in(copies.keys().copied()))
        .order_by_asc(withheld_app::Column::Package)
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let kept = backup::Entity::find().select_only().columns([backup::Column::Id, backup::Column::SafeUntil]);
    let kept = kept.filter(backup::Column::Id.is_in(copies.values().copied()));
    let kept: Vec<(BackupId, Option<UtcTime>)> = kept.into_tuple().all(db).await?;
    let kept: HashMap<BackupId, Option<UtcTime>> = kept.into_iter().collect();
    let mut found: HashMap<SagaId, Vec<WithheldApp>> = HashMap::new();
    for withheld_app::Model { saga_id, package, name } in rows {
        let Some(backup_id) = copies.get(&saga_id).copied() else { continue };
        let kept_until = kept.get(&backup_id).copied().flatten();
        found.entry(saga_id).or_default().push(WithheldApp { package, name, backup_id, kept_until });
    }
    Ok(found)
}

/// What phones did not come with on the cards of these stays.
///
/// # Errors
/// When a read fails.
pub async fn of_stays(
    db: &impl ConnectionTrait,
    stays: &[PlacementId],
) -> Result<HashMap<PlacementId, Vec<WithheldApp>>, DbErr> {
    if stays.is_empty() {
        return Ok(HashMap::new());
    }
    let came = came(stays).all(db).await?;
    let mut apps = of_sagas(db, &came).await?;
    Ok(came.iter().filter_map(|saga| Some((saga.placement_id?, apps.remove(&saga.id)?))).collect())
}

/// Those of these phones whose copy has an app that they may not have any more. They do not come back to the cards that they
/// have left, where that app is still. Where the copy is damaged they do: what is on such a card may be all that is left.
///
/// # Errors
/// When a read fails.
pub async fn may_not_return(db: &impl ConnectionTrait, phones: &[&Phone]) -> Result<HashSet<PhoneId>, DbErr> {
    let kept: Vec<(BackupId, PhoneId, Plan)> =
        phones.iter().filter_map(|phone| Some((phone.kept_id?, phone.id, phone.plan))).collect();
    if kept.is_empty() {
        return Ok(HashSet::new());
    }
    let list = List::read(db).await?;
    if list.0.is_empty() {
        return Ok(HashSet::new());
    }
    let copies = backup::Entity::find()
        .select_only()
        .columns([backup::Column::Id, backup::Column::Manifest])
        .filter(backup::Column::Id.is_in(kept.iter().map(|(copy, ..)| *copy)))
        .filter(backup::Column::Damage.eq(""));
    let copies: Vec<(BackupId, String)> = copies.into_tuple().all(db).await?;
    let manifests: HashMap<BackupId, String> = copies.into_iter().collect();
    let has = |(copy, _, plan): &&(BackupId, PhoneId, Plan)| {
        manifests.get(copy).is_some_and(|manifest| !list.among(manifest, *plan).is_empty())
    };
    Ok(kept.iter().filter(has).map(|(_, phone, _)| *phone).collect())
}

/// A manifest without these packages.
pub fn without(manifest: Option<Manifest>, packages: &[String]) -> Option<Manifest> {
    let mut manifest = manifest?;
    manifest.packages.retain(|package| !packages.contains(&package.name));
    Some(manifest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use entity::BackupId;
    use entity::phone::Plan;
    use kernel::lang::Lang;

    use super::{List, WithheldApp};

    #[test]
    fn what_was_installed_and_holds_for_the_plan_is_left_out() {
        let rows =
            [(None, "com.all"), (Some(2), "com.all"), (Some(2), "com.vip"), (None, "com.image"), (None, "com.gone")];
        let row = |(plan, package): (Option<i16>, &str)| ((plan, package.to_owned()), format!("{package} {plan:?}"));
        let list = List(rows.into_iter().map(row).collect());
        let manifest = r#"{"version":1,"packages":[{"name":"com.all","isOwn":true},{"name":"com.vip","isOwn":true},
            {"name":"com.image"},{"name":"com.chat","isOwn":true}]}"#;
        let among = |list: &List, manifest: &str, plan| {
            let mut names: Vec<String> = list.among(manifest, plan).into_iter().map(|(_, name)| name).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(
            among(&list, manifest, Plan::Vip),
            ["com.all Some(2)", "com.vip Some(2)"],
            "the plan's own name is told"
        );
        assert_eq!(among(&list, manifest, Plan::Svip), ["com.all None"]);
        for nothing in ["", "{", r#"{"version":1,"packages":[]}"#] {
            assert!(among(&list, nothing, Plan::Vip).is_empty(), "{nothing}");
        }
        assert!(among(&List(BTreeMap::new()), manifest, Plan::Vip).is_empty());
    }

    #[test]
    fn it_is_told_by_its_name() {
        let app = WithheldApp {
            package: "com.game".to_owned(),
            name: "小游戏".to_owned(),
            backup_id: BackupId(7),
            kept_until: None,
        };
        assert_eq!(app.words().get(Lang::Zh), "应用 小游戏 已被禁止，未恢复，其数据保留 30 天");
        assert!(app.words().get(Lang::En).starts_with("小游戏 is forbidden here"));
    }
}
