//! The demo company's phones: one on each card that is in use, and others that are off the machine.

use std::collections::HashMap;

use base::app::App;
use base::demo::Random;
use base::fault::Fault;
use entity::card::{Lifecycle, Occupancy};
use entity::client_user::{self, ClientUserStatus as Status};
use entity::phone::{PhonePool, PhoneSource, Plan};
use entity::{CardId, CardModelId, ClientUserId, RoomId, card, card_model, room};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use crate::phone::bulk::{NewPhone, insert_many};
use crate::phone::expire::pass;
use crate::phone::hold::{Held, hold};
use crate::rule;

/// Phones that are off the machine.
const OFF: u32 = 160;
/// Phones that were made on one day.
const A_DAY: usize = 20;
const DAY: i64 = 86_400;
const GB: i64 = 1 << 30;

/// Inserts them.
pub async fn fill(app: &App) -> anyhow::Result<()> {
    let now = app.clock.now();
    let users = users(app).await?;
    let rooms: Vec<RoomId> = room::Entity::find().all(app.db.read()).await?.into_iter().map(|row| row.id).collect();
    if users.is_empty() || rooms.is_empty() {
        return Ok(());
    }
    let mut random = Random::stream(60, 0);
    let mut new: Vec<(NewPhone, Option<CardId>)> = Vec::new();
    for (card, plan) in held_cards(app).await? {
        let row = phone(&mut random, &users, plan, card.room_id, now);
        new.push((NewPhone { pool: PhonePool::of_card(card.is_overcommit), ..row }, Some(card.id)));
    }
    for at in 0..OFF {
        let plan = random.weighted(&[(Plan::Vip, 70), (Plan::Vvip, 20), (Plan::Svip, 10)]);
        let room_id = random.pick(&rooms);
        let mut row = phone(&mut random, &users, plan, room_id, now);
        // Some have run out in the last days, a few so long ago that they are released.
        let past = |days: i64| now.plus_seconds(-days * DAY - 3600);
        match at % 16 {
            3 => row.expires_at = past(1 + i64::from(at % 5)),
            9 if at % 32 == 9 => row.expires_at = past(8),
            12 => row.pool = PhonePool::Dedicated,
            _ => {}
        }
        new.push((row, None));
    }
    let first = now.plus_seconds(-DAY * i64::try_from(new.len() / A_DAY + 20)?);
    for (day, group) in (0_i64..).zip(new.chunks(A_DAY)) {
        let at = first.plus_seconds(day * DAY);
        let mut tx = app.db.begin_write().await?;
        let rows = group.iter().map(|(row, _)| row.clone()).collect();
        let made = insert_many(&mut tx, rows, at).await.map_err(failed)?;
        for (row, (_, card)) in made.iter().zip(group) {
            let Some(card) = card else { continue };
            let used_bytes = i64::from(row.disk_gb) * GB / 100 * i64::try_from(8 + random.below(80))?;
            let held = Held { image: "A11-3.8.2".to_owned(), used_bytes };
            let since = now.plus_seconds(-60 - i64::try_from(random.below(3 * 3600))?);
            hold(&mut tx, row, *card, held, since).await.map_err(failed)?;
        }
        tx.commit().await?;
    }
    pass(app).await.map_err(failed)?;
    rule::demo::fill(app).await
}

fn failed(fault: Fault) -> anyhow::Error {
    anyhow::anyhow!("{fault:?}")
}

fn phone(random: &mut Random, users: &[ClientUserId], plan: Plan, room_id: RoomId, now: UtcTime) -> NewPhone {
    let left = random.weighted(&[(4, 8), (25, 42), (80, 30), (330, 20)]);
    NewPhone {
        name: if random.chance(40) {
            random.pick(&["主力机", "挂机", "小号", "直播", "测试机"]).to_owned()
        } else {
            String::new()
        },
        user_id: random.pick(users),
        plan,
        room_id,
        pool: PhonePool::Shared,
        disk_gb: random.weighted(&[(32, 70), (64, 25), (128, 5)]),
        expires_at: now.plus_seconds(left * DAY + i64::try_from(random.below(86_400)).unwrap_or(0)),
        source: random.weighted(&[
            (PhoneSource::Order, 74),
            (PhoneSource::Code, 12),
            (PhoneSource::Gift, 4),
            (PhoneSource::Trial, 5),
            (PhoneSource::Operator, 5),
        ]),
        remark: String::new(),
    }
}

/// Those who rent phones: some of the customers who may sign in.
async fn users(app: &App) -> anyhow::Result<Vec<ClientUserId>> {
    let select = client_user::Entity::find().select_only().column(client_user::Column::Id);
    let select = select.filter(client_user::Column::Status.eq(Status::Active)).order_by_desc(client_user::Column::Id);
    Ok(select.limit(300).into_tuple().all(app.db.read()).await?)
}

/// The cards that are in use, with the plan that runs on their boards.
async fn held_cards(app: &App) -> anyhow::Result<Vec<(card::Model, Plan)>> {
    let models = card_model::Entity::find().all(app.db.read()).await?;
    let plans: HashMap<CardModelId, Plan> = models
        .into_iter()
        .filter_map(|row| Some((row.id, *Plan::ALL.iter().find(|plan| plan.board() == row.board)?)))
        .collect();
    let cards = card::Entity::find()
        .filter(card::Column::Occupancy.eq(Occupancy::InUse))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .order_by_asc(card::Column::Id)
        .all(app.db.read())
        .await?;
    let with_plan = |row: card::Model| plans.get(&row.model_id).map(|plan| (row, *plan));
    Ok(cards.into_iter().filter_map(with_plan).collect())
}
