//! The client against simulated BMCs, against sushy-tools, and against BMCs with unusual authentication.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod dying;
mod sign_in;
mod sushy;

use std::sync::atomic::Ordering;
use std::time::Duration;

use redfish::{
    Bmc as _, Client, Error, Fingerprint, Health, Limits, Login, Order, Power, Rules, SensorKind, SlotId, Trust,
    Wanted, confirm, fingerprint,
};
use sim::{Fault, Layout, Room, Settings};

async fn room(faults: &str) -> Room {
    let settings = Settings {
        cards: 4,
        cards_per_host: 4,
        bmcs: Some(Layout::Ports(([127, 0, 0, 1], 0).into())),
        power_delay: Duration::from_millis(60),
        boot: Duration::from_millis(100),
        faults: faults.parse().unwrap(),
        ..Settings::default()
    };
    Room::start(settings).await.unwrap()
}

async fn client(room: &Room) -> Client {
    let url = room.bmcs[0].url();
    let pin = fingerprint(&url, Limits::default()).await.unwrap();
    Client::new(&url, Login::new("admin", "simulated"), Trust::Pinned(pin), Limits::default()).unwrap()
}

fn rules() -> Rules {
    Rules {
        poll: Duration::from_millis(20),
        resend: Duration::from_millis(400),
        give_up: Duration::from_millis(1500),
        silence: Duration::from_millis(1500),
        serial: None,
    }
}

fn slot(number: usize) -> SlotId {
    SlotId(format!("/redfish/v1/Systems/{number}"))
}

#[tokio::test]
async fn slots_and_sensors_are_read() {
    let room = room("hot@1").await;
    let bmc = client(&room).await;
    let slots = bmc.slots().await.unwrap();
    assert_eq!(slots.len(), 4);
    assert_eq!(slots[0].serial.as_deref(), Some(room.cards[0].serial().as_str()));
    assert_eq!((slots[0].power, slots[0].health, slots[1].health), (Power::On, Health::Ok, Health::Critical));
    let sensors = bmc.sensors().await.unwrap();
    let hot: Vec<_> = sensors.iter().filter(|sensor| sensor.health == Health::Critical).collect();
    assert_eq!((hot.len(), hot[0].kind, hot[0].reading), (1, SensorKind::Temperature, Some(95.0)));
    assert!(sensors.iter().any(|sensor| sensor.kind == SensorKind::Power && sensor.reading > Some(10.0)));
    let abilities = bmc.abilities().await.unwrap();
    assert!(abilities.sessions && abilities.power && abilities.sensors);
}

#[tokio::test]
async fn power_goes_off_and_on_and_round_and_is_seen_to() {
    let room = room("").await;
    let bmc = client(&room).await;
    assert_eq!(confirm(&bmc, &slot(1), Wanted::Off, &rules()).await.unwrap().sent, 1);
    assert!(!room.cards[0].is_on() && room.cards[1].is_on());
    assert_eq!(confirm(&bmc, &slot(1), Wanted::Off, &rules()).await.unwrap().sent, 0);
    assert_eq!(confirm(&bmc, &slot(1), Wanted::On, &rules()).await.unwrap().sent, 1);
    let boots = room.cards[0].boots();
    assert_eq!(confirm(&bmc, &slot(1), Wanted::Cycle, &rules()).await.unwrap().sent, 2);
    assert_eq!(room.cards[0].boots(), boots + 1);
    assert!(room.cards[0].is_on());
}

#[tokio::test]
async fn a_lost_order_is_sent_again() {
    let room = room("lost_reset@0").await;
    let bmc = client(&room).await;
    assert_eq!(confirm(&bmc, &slot(1), Wanted::Off, &rules()).await.unwrap().sent, 2);
    assert!(!room.cards[0].is_on());
}

#[tokio::test]
async fn power_that_is_stuck_is_given_up() {
    let room = room("power_stuck@0").await;
    let bmc = client(&room).await;
    let error = confirm(&bmc, &slot(1), Wanted::Off, &rules()).await.unwrap_err();
    assert!(matches!(error, Error::PowerStuck { sent: 2.., .. }), "{error}");
    assert!(room.cards[0].is_on());
}

#[tokio::test]
async fn unknown_power_gets_no_order() {
    let room = room("power_unknown@0").await;
    let bmc = client(&room).await;
    for wanted in [Wanted::On, Wanted::Off, Wanted::Cycle] {
        assert_eq!(confirm(&bmc, &slot(1), wanted, &rules()).await, Err(Error::PowerUnknown));
    }
    assert_eq!(room.bmcs[0].seen.orders.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn another_card_in_the_slot_gets_no_order() {
    let room = room("").await;
    let bmc = client(&room).await;
    let strict = Rules { serial: Some(room.cards[1].serial()), ..rules() };
    let error = confirm(&bmc, &slot(1), Wanted::Off, &strict).await.unwrap_err();
    assert_eq!(error.reason().code(), "wrong_card");
    assert_eq!(room.bmcs[0].seen.orders.load(Ordering::Relaxed), 0);
    assert!(confirm(&bmc, &slot(2), Wanted::Off, &strict).await.is_ok());
}

#[tokio::test]
async fn another_certificate_is_refused_before_the_password_is_sent() {
    let room = room("").await;
    let url = room.bmcs[0].url();
    assert_eq!(fingerprint(&url, Limits::default()).await.unwrap().to_string(), room.bmcs[0].fingerprint());
    let pin = Trust::Pinned(Fingerprint([7; 32]));
    let bmc = Client::new(&url, Login::new("admin", "simulated"), pin, Limits::default()).unwrap();
    let error = bmc.slots().await.unwrap_err();
    assert_eq!(error, Error::CertificateChanged { found: room.bmcs[0].fingerprint().into() });
    assert_eq!(room.bmcs[0].seen.opened.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_refused_password_is_tried_once() {
    let room = room("").await;
    let url = room.bmcs[0].url();
    let pin = Trust::Pinned(room.bmcs[0].fingerprint().parse().unwrap());
    let bmc = Client::new(&url, Login::new("admin", "wrong"), pin, Limits::default()).unwrap();
    for _ in 0..5 {
        assert_eq!(bmc.slots().await, Err(Error::AuthRefused));
    }
    assert_eq!(room.bmcs[0].seen.refused.load(Ordering::Relaxed), 1);
    assert!(!format!("{bmc:?}").contains("wrong"));
}

#[tokio::test]
async fn one_session_is_reused_renewed_and_ended() {
    let room = room("").await;
    let bmc = std::sync::Arc::new(client(&room).await);
    let all: Vec<_> = (0..20)
        .map(|_| {
            let bmc = std::sync::Arc::clone(&bmc);
            tokio::spawn(async move { bmc.slots().await.map(|slots| slots.len()) })
        })
        .collect();
    for one in all {
        assert_eq!(one.await.unwrap(), Ok(4));
    }
    let seen = &room.bmcs[0].seen;
    assert_eq!((seen.opened.load(Ordering::Relaxed), seen.most.load(Ordering::Relaxed)), (1, 1));
    // The BMC restarts and has forgotten the session.
    room.bmcs[0].forget_sessions();
    assert!(bmc.slots().await.is_ok());
    assert_eq!(seen.opened.load(Ordering::Relaxed), 2);
    bmc.close().await;
    assert_eq!(room.bmcs[0].sessions(), 0);
}

#[tokio::test]
async fn an_order_that_the_bmc_does_not_have_is_not_sent() {
    let room = room("").await;
    let bmc = client(&room).await;
    let mut one = bmc.slot(&slot(1)).await.unwrap();
    one.orders.retain(|order| order != "ForceOff");
    assert_eq!(bmc.order(&one, Order::ForceOff).await.unwrap_err().reason().code(), "bmc_unsupported");
    assert_eq!(bmc.slot(&slot(9)).await.unwrap_err().reason().code(), "bmc_failed");
    room.set_fault(0, Fault::PowerUnknown, true);
    assert_eq!(bmc.slot(&slot(1)).await.unwrap().power, Power::Unknown);
}

#[tokio::test]
async fn nothing_is_there() {
    let bmc = Client::new("http://127.0.0.1:9", Login::new("a", "b"), Trust::NoTls, Limits::default()).unwrap();
    assert_eq!(bmc.slots().await.unwrap_err().reason().code(), "bmc_unreachable");
    assert!(
        Client::new("http://127.0.0.1", Login::new("a", "b"), Trust::Pinned(Fingerprint([0; 32])), Limits::default())
            .is_err()
    );
}
