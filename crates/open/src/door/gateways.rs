//! The gateways of a room, of which each who connects is given one.

use entity::RoomId;
use entity::service_address::{Column, Entity, Model, ServiceKind};
use sea_orm::{
    ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, Select,
};

/// Those that serve a room and are on: its own, and those of every room.
fn of(room: RoomId) -> Select<Entity> {
    let there = Condition::any().add(Column::RoomId.eq(room)).add(Column::RoomId.is_null());
    Entity::find().filter(there).filter(Column::Kind.eq(ServiceKind::Gateway)).filter(Column::IsEnabled.eq(true))
}

/// Whether a room has any.
///
/// # Errors
/// When the read fails.
pub async fn is_served(db: &impl ConnectionTrait, room: RoomId) -> Result<bool, DbErr> {
    Ok(of(room).count(db).await? > 0)
}

/// The gateway that is called so, or has this id, and serves a room; none if there is none.
///
/// # Errors
/// When the read fails.
pub async fn named(db: &impl ConnectionTrait, called: &str, room: RoomId) -> Result<Option<Model>, DbErr> {
    let id = called.parse::<i64>().ok();
    let named = Condition::any().add(Column::Name.eq(called)).add_option(id.map(|id| Column::Id.eq(id)));
    of(room).filter(named).order_by_asc(Column::Id).one(db).await
}

/// One of a room's, each as often as its weight says; none if there is none.
///
/// # Errors
/// When the read fails.
pub async fn draw(db: &impl ConnectionTrait, room: RoomId) -> Result<Option<Model>, DbErr> {
    let mut all = of(room).order_by_asc(Column::Id).all(db).await?;
    let weights: Vec<u64> = all.iter().map(|one| u64::from(one.weight.unsigned_abs())).collect();
    Ok(pick(&weights, rand::random()).map(|at| all.swap_remove(at)))
}

/// Which of them is drawn by a number.
fn pick(weights: &[u64], number: u64) -> Option<usize> {
    let mut left = number.checked_rem(weights.iter().sum())?;
    weights.iter().position(|weight| match left.checked_sub(*weight) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}

#[cfg(test)]
mod tests {
    use super::pick;

    #[test]
    fn each_is_drawn_as_often_as_its_weight_says() {
        let mut drawn = [0; 3];
        for number in 0..600 {
            drawn[pick(&[1, 2, 3], number).expect("there are three")] += 1;
        }
        assert_eq!(drawn, [100, 200, 300]);
        assert_eq!((pick(&[], 7), pick(&[5], u64::MAX)), (None, Some(0)));
    }
}
