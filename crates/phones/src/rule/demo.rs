//! The demo company's rules: some for everybody, plans, a room and one phone, as they came to be over the last weeks.

use base::app::App;
use entity::phone::{self, Life, Plan};
use entity::room;
use entity::rule_value::RuleField;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};

use super::scope::Scope;
use super::store::{self, Change};

/// How many days ago values were changed, and whose.
type Told = (i64, Scope, &'static [(RuleField, Option<i64>)]);

const DAY: i64 = 86_400;
/// From 02:00 to 06:00.
const NIGHT: i64 = 120 * 1440 + 360;

/// Inserts them.
pub async fn fill(app: &App) -> anyhow::Result<()> {
    let room = room::Entity::find().order_by_asc(room::Column::Id).one(app.db.read()).await?;
    let phone = phone::Entity::find()
        .filter(phone::Column::Life.eq(Life::Active))
        .order_by_asc(phone::Column::Id)
        .one(app.db.read())
        .await?;
    let (Some(room), Some(phone)) = (room, phone) else { return Ok(()) };
    let both = Scope::RoomPlan(room.id, Plan::Vip);
    let told: [Told; 8] = [
        (60, Scope::Everybody, &[(RuleField::IdleMinutes, Some(30)), (RuleField::QueueWait, Some(45))]),
        (
            41,
            Scope::Plan(Plan::Svip),
            &[
                (RuleField::IdleMinutes, Some(60)),
                (RuleField::ReconnectGrace, Some(10)),
                (RuleField::DailyHours, Some(24)),
            ],
        ),
        (30, Scope::Room(room.id), &[(RuleField::DailyHours, Some(20))]),
        (22, Scope::Everybody, &[(RuleField::IdleMinutes, Some(20))]),
        (15, Scope::Room(room.id), &[(RuleField::DailyHours, None), (RuleField::NightClose, Some(NIGHT))]),
        (9, both, &[(RuleField::DailyHours, Some(16))]),
        (4, Scope::Plan(Plan::Vip), &[(RuleField::IdleMinutes, Some(15))]),
        (1, Scope::Phone(phone.id), &[(RuleField::IdleMinutes, Some(0))]),
    ];
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    for (ago, scope, values) in told {
        let (own, last) = (store::own(&*tx, scope).await?, store::last(&*tx, scope).await?);
        let changes: Vec<Change> =
            values.iter().map(|(field, value)| (*field, own.get(field).copied(), *value)).collect();
        store::write(&*tx, scope, &changes, last.version + 1, ("admin", now.plus_seconds(-ago * DAY))).await?;
    }
    tx.commit().await?;
    Ok(())
}
