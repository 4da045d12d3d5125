//! Writes what the rows of a batch do: new cards, and changed ones.

use std::collections::HashMap;

use base::fault::Outcome;
use db::WriteTx;
use entity::CardModelId;
use entity::card::{Lifecycle, Model};
use kernel::time::UtcTime;
use outbound::Rule;

use super::compare::Target;
use crate::address::plan;
use crate::card::bulk::{self, NewCard};
use crate::card::model::{self, ModelName};
use crate::card::{service, store};
use crate::state::{self, By, Change, Written};

/// Writes them.
///
/// # Errors
/// When `outbound` refuses an address, or the database refuses.
pub async fn write(
    tx: &mut WriteTx,
    outbound: &Rule,
    news: Vec<Target>,
    changes: Vec<(Model, Target)>,
    by: &By,
    now: UtcTime,
) -> Outcome<Vec<Written>> {
    let names = news.iter().chain(changes.iter().map(|(_, target)| target)).map(|target| target.model.clone());
    let names: Vec<ModelName> = names.collect();
    let models = model::ensure(&**tx, names).await?;
    let mut done = Vec::new();
    let mut rewritten = Vec::with_capacity(changes.len());
    for (before, target) in changes {
        let after = rewrite(&before, target, &models);
        store::update_record(&**tx, outbound, &before, &after).await?;
        if (before.host_id, before.position) != (after.host_id, after.position) {
            bulk::end_stays(tx, &[before.id], now).await?;
            bulk::begin_stays(tx, &[Model { updated_at: now, ..after.clone() }], by, "").await?;
        }
        rewritten.push(Change { before, after, reason: String::new() });
    }
    done.push(state::write(tx, rewritten, by, now).await?);
    let mut rows = Vec::with_capacity(news.len());
    for target in news {
        let (host, position) = (target.place.map(|(_, host, _)| host), target.place.map(|(_, _, at)| at));
        let spot = service::spot(&**tx, target.room, host, position).await?;
        let extranet = match target.extranet {
            Some(given) => Some(given),
            None => plan::outside(&**tx, target.room, target.ip, target.port).await?,
        };
        let new = NewCard {
            serial: target.serial,
            room_id: target.room,
            place: spot.place,
            intranet_ip: target.ip,
            adb_port: target.port,
            extranet,
            model_id: models[&target.model],
            size: target.size,
            remark: target.remark,
            lifecycle: Lifecycle::Expected,
            is_assignable: target.is_assignable,
            is_overcommit: target.is_overcommit,
            inherited: spot.inherited,
        };
        rows.push(new.into_row(now));
    }
    done.push(Written::inserted(bulk::insert_many(tx, outbound, rows, by, "").await?));
    Ok(done)
}

fn rewrite(before: &Model, target: Target, models: &HashMap<ModelName, CardModelId>) -> Model {
    Model {
        serial: target.serial,
        room_id: target.room,
        frame_id: target.place.map(|(frame, _, _)| frame),
        host_id: target.place.map(|(_, host, _)| host),
        position: target.place.map(|(_, _, position)| position),
        intranet_ip: target.ip,
        adb_port: target.port,
        extranet_ip: target.extranet.map(|(ip, _)| ip),
        extranet_port: target.extranet.map(|(_, port)| port),
        model_id: models.get(&target.model).copied().unwrap_or(before.model_id),
        size: target.size,
        remark: target.remark,
        is_assignable: target.is_assignable,
        is_overcommit: target.is_overcommit,
        ..before.clone()
    }
}
