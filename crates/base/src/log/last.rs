//! The newest lines about an object, for those who may read the log.

use entity::operation_log::{Column, Entity, Model};
use entity::operation_log_about as several;
use sea_orm::sea_query::{Query, SelectStatement, UnionType};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};

/// The numbers of the lines about one object: those about it alone, and those about several with it.
#[must_use]
pub fn about(kind: &str, id: &str) -> SelectStatement {
    let mut alone = Query::select();
    alone.column(Column::Id).from(Entity).and_where(Column::ObjectKind.eq(kind)).and_where(Column::ObjectId.eq(id));
    if let Ok(number) = id.parse::<i64>() {
        let mut among = Query::select();
        among
            .column(several::Column::LogId)
            .from(several::Entity)
            .and_where(several::Column::ObjectKind.eq(kind))
            .and_where(several::Column::ObjectId.eq(number));
        alone.union(UnionType::All, among);
    }
    alone
}

/// Up to `most` lines of these acts about an object that succeeded, newest first.
///
/// # Errors
/// When the read fails.
pub async fn lines(
    db: &impl ConnectionTrait,
    kind: &str,
    id: i64,
    acts: &[&str],
    most: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::Id.in_subquery(about(kind, &id.to_string())))
        .filter(Column::Action.is_in(acts.iter().copied()))
        .filter(Column::Status.eq(0))
        .order_by_desc(Column::Id)
        .limit(most)
        .all(db)
        .await
}
