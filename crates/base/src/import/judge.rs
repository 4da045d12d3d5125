//! Judges a batch: what each row would do, or what is wrong with it.

use kernel::rules::Check;
use sea_orm::ConnectionTrait;

use super::Import;
use super::row::Row;
use crate::app::App;
use crate::fault::Outcome;

/// What each row would do; none for a bad one, whose problems are noted in it.
///
/// # Errors
/// When a read fails.
pub(super) async fn judge<I: Import>(
    app: &App,
    db: &impl ConnectionTrait,
    rows: &mut [Row],
) -> Outcome<Vec<Option<I::Effect>>> {
    let good: Vec<&Row> = rows.iter().filter(|row| row.problems().is_empty()).collect();
    let known = I::known(app, db, &good).await?;
    let judge = |row: &mut Row| {
        if !row.problems().is_empty() {
            return None;
        }
        let mut check = Check::new();
        let effect = I::judge(&known, row, &mut check);
        debug_assert!(effect.is_some() || !check.is_clean(), "row {} is refused without a reason", row.number);
        let is_good = row.settle(check);
        effect.filter(|_| is_good)
    };
    Ok(rows.iter_mut().map(judge).collect())
}
