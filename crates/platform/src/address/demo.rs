//! The demo company's gateways, one for each room and one for all of them, and its other services.

use base::app::App;
use entity::room;
use entity::service_address::ServiceKind;
use sea_orm::{EntityTrait as _, QueryOrder as _};

use super::service::{ServiceAddressInput, insert};

const DAY: i64 = 86_400;

/// Inserts them.
///
/// # Errors
/// When the database refuses.
pub async fn fill(app: &App) -> anyhow::Result<()> {
    let now = app.clock.now();
    let rooms = room::Entity::find().order_by_asc(room::Column::Id).all(app.db.read()).await?;
    let tx = app.db.begin_write().await?;
    let mut rows = vec![
        ("备用网关".to_owned(), None, ServiceKind::Gateway, "gw.example.com".to_owned(), 8443, 1),
        ("信令".to_owned(), None, ServiceKind::Signalling, "signal.example.com".to_owned(), 443, 10),
        ("下载".to_owned(), None, ServiceKind::Download, "files.example.com".to_owned(), 8080, 20),
        ("接口".to_owned(), None, ServiceKind::Api, "api.example.com".to_owned(), 9443, 30),
    ];
    for (at, room) in (1..).zip(&rooms) {
        let (host, port) = (format!("gw{at}.example.com"), 8443 + at);
        rows.push((format!("{}网关", room.name), Some(room.id), ServiceKind::Gateway, host, port, 40 + at.min(60)));
    }
    for (ago, (name, room_id, kind, host, port, weight)) in (1..).zip(rows) {
        let input = ServiceAddressInput { name, room_id, kind, host, port, weight };
        insert(&*tx, input, now.plus_seconds(-ago * DAY)).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    }
    tx.commit().await?;
    Ok(())
}
