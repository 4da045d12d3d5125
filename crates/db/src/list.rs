//! One page of a list, for lists without special requirements.

use kernel::page::{Page, PageQuery};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, PaginatorTrait as _, QuerySelect as _, Select};

/// Runs `select` for one page and counts all rows.
///
/// `select` must end in a total order, the id last: otherwise rows repeat or vanish between pages.
///
/// # Errors
/// When a read fails.
pub async fn list_page<E>(
    db: &impl ConnectionTrait,
    select: Select<E>,
    page: PageQuery,
) -> Result<Page<E::Model>, DbErr>
where
    E: EntityTrait,
    E::Model: Send + Sync,
{
    let total = select.clone().count(db).await?;
    page_of(db, select, total, page).await
}

/// Runs `select` for one page of `total` rows, if their number is known.
///
/// # Errors
/// When the read fails.
pub async fn page_of<E>(
    db: &impl ConnectionTrait,
    select: Select<E>,
    total: u64,
    page: PageQuery,
) -> Result<Page<E::Model>, DbErr>
where
    E: EntityTrait,
    E::Model: Send + Sync,
{
    let list = if page.offset() < total {
        select.offset(page.offset()).limit(page.page_size).all(db).await?
    } else {
        Vec::new()
    };
    Ok(Page::new(page, total, list))
}
