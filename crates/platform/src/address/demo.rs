//! The demo company's gateways, one for each room and one for all of them, its other services, and the gateway of its simulated
//! customers.

use base::app::App;
use entity::room;
use entity::service_address::{Column, Entity, ServiceKind};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _};

use super::service::{ServiceAddressInput, insert};

const DAY: i64 = 86_400;
/// The gateway of simulated customers. Nothing listens there: no picture is streamed.
const CROWD: &str = "仿真网关（演示）";

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

/// Makes the gateway of simulated customers, which serves every room, unless it is there.
///
/// # Errors
/// When the database refuses.
pub async fn make_gateway(app: &App) -> anyhow::Result<()> {
    let tx = app.db.begin_write().await?;
    if Entity::find().filter(Column::Name.eq(CROWD)).count(&*tx).await? > 0 {
        return Ok(());
    }
    let (name, host) = (CROWD.to_owned(), "127.0.0.1".to_owned());
    let input = ServiceAddressInput { name, room_id: None, kind: ServiceKind::Gateway, host, port: 8443, weight: 100 };
    insert(&*tx, input, app.clock.now()).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    tx.commit().await?;
    Ok(())
}
