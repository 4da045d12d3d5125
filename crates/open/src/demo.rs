//! The demo company's applications, what they called and were told in the last hours, and the one with which its simulated
//! customers call.

use base::app::App;
use base::demo::Random;
use base::fault::Fault;
use base::outbox::{DELIVERIES, place};
use entity::client_user::{Column, Entity};
use entity::open_app::{OpenOwner, OpenScope};
use entity::webhook::HookEvent;
use entity::webhook_delivery::{DeliveryState, HookFailure};
use entity::{ClientUserId, OpenAppId, OpenKeyId, open_app, open_key, webhook, webhook_delivery};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde_json::json;
use vault::Secret;

use crate::app::{OpenAppInput, draw, insert};
use crate::call::{Call, flush, note};
use crate::callers::{Callers, secret_name};
use crate::hook::secret;

const DAY: i64 = 86_400;
/// Customers that each of the others brought.
const BROUGHT: u64 = 12;
/// What is called, how often, and how it ends.
const CALLS: [(&str, u64, i16, &str); 6] = [
    ("/open/v1/phones/{id}", 48, 200, ""),
    ("/open/v1/users/{id}/phones", 30, 200, ""),
    ("/open/v1/users", 14, 200, ""),
    ("/open/v1/phones/{id}", 4, 404, "not_found"),
    ("/open/v1/users", 2, 401, "clock"),
    ("/open/v1/phones", 2, 429, "too_many"),
];

/// Events that some of them were told.
const TOLD: i64 = 60;
/// Of what, and how often.
const EVENTS: [(HookEvent, u64); 7] = [
    (HookEvent::PhoneOn, 30),
    (HookEvent::PhoneOff, 26),
    (HookEvent::ConnectReady, 20),
    (HookEvent::ConnectFailed, 6),
    (HookEvent::PhoneExpiring, 10),
    (HookEvent::PhoneExpired, 5),
    (HookEvent::PhoneActive, 3),
];
/// How a delivery stands: state, tries, HTTP and what went wrong.
type Stands = (DeliveryState, i16, Option<i16>, Option<HookFailure>);
/// How it ended, and how often.
const ENDS: [(Stands, u64); 5] = [
    ((DeliveryState::Delivered, 1, Some(200), None), 80),
    ((DeliveryState::Delivered, 2, Some(204), None), 8),
    ((DeliveryState::Pending, 3, Some(502), Some(HookFailure::Status)), 5),
    ((DeliveryState::Stuck, 7, None, Some(HookFailure::Timeout)), 4),
    ((DeliveryState::Stuck, 7, Some(502), Some(HookFailure::Status)), 3),
];

/// The application with which simulated customers call.
const CROWD: &str = "仿真客户（演示）";

/// Inserts them.
pub async fn fill(app: &App) -> anyhow::Result<()> {
    let now = app.clock.now();
    let mut callers = Vec::new();
    for (age, (name, owner, owner_name, per_second, per_day)) in (1..).zip([
        ("官方 App 后台", OpenOwner::Company, "", 200, None),
        ("华东代理商城", OpenOwner::Agent, "华东代理", 20, Some(100)),
        ("BeeMans", OpenOwner::Partner, "BeeMans", 50, Some(500)),
    ]) {
        let made = now.plus_seconds(-age * 30 * DAY);
        let input = OpenAppInput {
            name: name.to_owned(),
            owner,
            owner_name: owner_name.to_owned(),
            scopes: OpenScope::ALL.to_vec(),
            ips: String::new(),
            per_second,
            per_day,
            remark: String::new(),
        };
        let tx = app.db.begin_write().await?;
        let row = insert(&*tx, input, made).await.map_err(failed)?;
        let drawn = draw(&tx, &app.vault, row.id, "admin", made).await.map_err(failed)?;
        tx.commit().await?;
        if let Some((key, _)) = drawn {
            callers.push((row.id, key.id, key.code));
        }
    }
    let others: Vec<OpenAppId> = callers.iter().skip(1).map(|(id, ..)| *id).collect();
    bring(app, &others).await?;
    let hooked: Vec<OpenAppId> = callers.iter().map(|(id, ..)| *id).filter(|id| others.first() != Some(id)).collect();
    tell(app, &hooked, now).await?;
    call(app, &callers, now).await
}

/// The key with which the simulated customers of a demo company call, and its secret: made where it is asked for the first
/// time. None if an operator has switched their application off, or has revoked its key.
///
/// # Errors
/// When the database refuses, or the secret does not open.
pub async fn crowd_key(app: &App) -> anyhow::Result<Option<(String, Secret)>> {
    let db = app.db.read();
    let Some(row) = open_app::Entity::find().filter(open_app::Column::Name.eq(CROWD)).one(db).await? else {
        return make_crowd(app).await;
    };
    let live = open_key::Entity::find()
        .filter(open_key::Column::AppId.eq(row.id))
        .filter(open_key::Column::RevokedAt.is_null())
        .order_by_asc(open_key::Column::Id);
    let Some(key) = live.one(db).await?.filter(|_| row.is_enabled) else { return Ok(None) };
    let secret = vault::store::get(db, &app.vault, &secret_name(&key.code)).await?;
    Ok(secret.map(|secret| (key.code, secret)))
}

async fn make_crowd(app: &App) -> anyhow::Result<Option<(String, Secret)>> {
    let now = app.clock.now();
    let input = OpenAppInput {
        name: CROWD.to_owned(),
        owner: OpenOwner::Company,
        owner_name: String::new(),
        scopes: OpenScope::ALL.to_vec(),
        // They are in the process of the console.
        ips: "127.0.0.0/8".to_owned(),
        per_second: 200,
        per_day: None,
        remark: "serve --demo 自带的仿真客户与网关；停用后下次启动不再出现".to_owned(),
    };
    let tx = app.db.begin_write().await?;
    let row = insert(&*tx, input, now).await.map_err(failed)?;
    let drawn = draw(&tx, &app.vault, row.id, "demo", now).await.map_err(failed)?;
    tx.commit().await?;
    app.part::<Callers>().forget();
    Ok(drawn.map(|(key, secret)| (key.code, secret)))
}

fn failed(fault: Fault) -> anyhow::Error {
    anyhow::anyhow!("{fault:?}")
}

/// Some customers came by the agent's and the partner's applications.
async fn bring(app: &App, callers: &[OpenAppId]) -> anyhow::Result<()> {
    let select = Entity::find().select_only().column(Column::Id).order_by_desc(Column::Id);
    let most = BROUGHT * callers.len() as u64;
    let users: Vec<ClientUserId> = select.limit(most).into_tuple().all(app.db.read()).await?;
    let tx = app.db.begin_write().await?;
    for (at, caller) in callers.iter().enumerate() {
        let ids: Vec<ClientUserId> = users.iter().copied().skip(at).step_by(callers.len()).collect();
        let change = Entity::update_many().col_expr(Column::AppId, Expr::value(caller.0));
        change.filter(Column::Id.is_in(ids)).exec(&*tx).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// What some of them were told in the last hours. Their webhooks are off by now: a demo company tells nobody anything.
async fn tell(app: &App, hooked: &[OpenAppId], now: UtcTime) -> anyhow::Result<()> {
    let mut random = Random::stream(62, 0);
    let mut tx = app.db.begin_write().await?;
    for id in hooked {
        let (key_code, _) = secret::draw(app, &tx, "admin", now).await.map_err(failed)?;
        let row = webhook::ActiveModel {
            app_id: Set(*id),
            url: Set(format!("https://hooks.example.com/skyrack/{id}")),
            events: Set(EVENTS.iter().fold(0, |bits, (event, _)| bits | event.bit())),
            key_code: Set(key_code),
            is_enabled: Set(false),
            created_at: Set(now.plus_seconds(-9 * DAY)),
            updated_at: Set(now.plus_seconds(-600)),
        };
        webhook::Entity::insert(row).exec_without_returning(&*tx).await?;
    }
    for ago in (1..=TOLD).rev() {
        let (at, kind) = (now.plus_seconds(-ago * 411), random.weighted(&EVENTS));
        let (state, tries, status, failure) = random.weighted(&ENDS);
        let to = random.pick(hooked);
        let phone = 1 + random.below(200);
        let (event_id, subject) = (format!("{:032x}", random.below(u64::MAX)), format!("CP-{phone:07}"));
        let data = json!({ "phoneId": phone.to_string(), "phoneCode": subject });
        let payload = json!({ "id": event_id, "type": kind.name(), "time": at, "data": data });
        let row = webhook_delivery::ActiveModel {
            app_id: Set(to),
            event_id: Set(event_id),
            kind: Set(kind),
            object: Set(format!("phone.{phone}")),
            subject: Set(subject),
            payload: Set(payload.to_string()),
            state: Set(state),
            tries: Set(tries),
            next_at: Set((state == DeliveryState::Pending).then(|| now.plus_seconds(600))),
            status: Set(status),
            failure: Set(failure),
            answer: Set(if status == Some(502) { "Bad Gateway".to_owned() } else { String::new() }),
            millis: Set(i32::try_from(9 + random.below(80))?),
            created_at: Set(at),
            tried_at: Set(Some(at.plus_seconds(1))),
            delivered_at: Set((state == DeliveryState::Delivered).then(|| at.plus_seconds(1))),
            ..Default::default()
        };
        let id = webhook_delivery::Entity::insert(row).exec(&*tx).await?.last_insert_id;
        tx.counts().moved(DELIVERIES.list, None, Some(place(id, to, kind, state)));
    }
    tx.commit().await?;
    Ok(())
}

/// What they called in the last hours.
async fn call(app: &App, callers: &[(OpenAppId, OpenKeyId, String)], now: UtcTime) -> anyhow::Result<()> {
    let mut random = Random::stream(61, 0);
    let calls = CALLS.map(|call| (call, call.1));
    for ago in (0..240_i64).rev() {
        let (path, _, status, code) = random.weighted(&calls);
        let (of, key_id, key) = &callers[usize::try_from(random.below(6)).unwrap_or(0).saturating_sub(3)];
        let call = Call {
            app: *of,
            key_id: *key_id,
            key: key.clone(),
            method: "GET".to_owned(),
            path,
            status,
            code: code.into(),
            millis: i32::try_from(2 + random.below(40)).unwrap_or(0),
            ip: [10, 20, 0, 8].into(),
            at: now.plus_seconds(-ago * 97),
            is_let_in: status != 401 && status != 429,
        };
        note(app, call);
    }
    flush(app).await.map_err(failed)
}
