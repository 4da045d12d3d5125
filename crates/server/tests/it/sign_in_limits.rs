//! Guessing is slow: waits that grow, captchas, and what must not get around them.

use accounts::auth::Auth;
use base::app::App;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testapp::{Answer, Caller, PASSWORD, TestApp};
use testkit::{TestDb, db_test};

const SIGN_IN: &str = "/api/user/v1/designjet/login";
const CAPTCHA: &str = "/api/user/v1/client/login/captcha";

async fn with_clerk(db: TestDb) -> TestApp {
    let app = TestApp::new(db).await;
    let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
    app.give_password(who).await;
    app
}

/// Asks for the captcha of `name` and reads its text where only the server can.
async fn captcha(app: &App, caller: &Caller<'_>, name: &str) -> String {
    let image = caller.post(CAPTCHA, json!({ "username": STANDARD.encode(name) })).await.data()["image"]
        .as_str()
        .unwrap()
        .to_owned();
    let png = STANDARD.decode(image.strip_prefix("data:image/png;base64,").unwrap()).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    app.part::<Auth>().captchas.peek(name, caller.ip).unwrap()
}

/// Fails once, with the captcha if one is asked for.
async fn fail(app: &TestApp, caller: &Caller<'_>, name: &str) -> Answer {
    let answer = caller.sign_in(name, "Wrong123", "").await;
    if answer.errors() != ["authCode captchaRequired"] {
        return answer;
    }
    let text = captcha(&app.app, caller, name).await;
    caller.sign_in(name, "Wrong123", &text).await
}

fn seconds_to_wait(answer: &Answer) -> i64 {
    assert_eq!(answer.brief(), (429, 4029));
    answer.headers["retry-after"].to_str().unwrap().parse().unwrap()
}

/// The cookie of a successful sign-in, as a browser sends it back.
fn device_cookie(answer: &Answer) -> String {
    assert_eq!(answer.status(), 0, "{:?}", answer.json());
    answer.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

db_test! {
    async fn a_captcha_is_asked_for_after_three_failures_and_works_once(db) {
        let app = with_clerk(db).await;
        for name in ["clerk", "nobody"] {
            let caller = app.anybody().from(if name == "clerk" { "10.1.0.1" } else { "10.1.0.2" });
            for _ in 0..3 {
                assert_eq!(caller.sign_in(name, "Wrong123", "").await.brief(), (200, 4001), "{name}");
            }
            let asked = caller.sign_in(name, PASSWORD, "").await;
            assert_eq!((asked.brief(), asked.errors()), ((200, 4007), vec!["authCode captchaRequired".to_owned()]), "{name}");
            let wrong = caller.sign_in(name, PASSWORD, "ZZZZZ").await;
            assert_eq!(wrong.errors(), ["authCode captchaWrong"], "{name}");

            let text = captcha(&app.app, &caller, name).await;
            assert_eq!(caller.sign_in(name, "Wrong123", &text).await.brief(), (200, 4001), "{name}: it is right, the password is not");
            assert_eq!(caller.sign_in(name, "Wrong123", &text).await.errors(), ["authCode captchaWrong"], "{name}: a second time");
        }
        let caller = app.anybody().from("10.1.0.1");
        let text = captcha(&app.app, &caller, "clerk").await;
        assert_eq!(app.anybody().from("10.9.9.9").sign_in("clerk", PASSWORD, &text).await.errors(), ["authCode captchaWrong"], "another address");
        assert_eq!(caller.sign_in("clerk", PASSWORD, &text).await.brief(), (200, 0));
        assert_eq!(caller.sign_in("clerk", PASSWORD, "").await.brief(), (200, 0), "all is forgotten");
    }

    async fn while_a_captcha_is_due_nothing_tells_whether_the_password_is_right(db) {
        let app = with_clerk(db).await;
        let other = app.operator("other", &["clientUser:list"]).await.operator.unwrap();
        app.give_password(other).await;
        let heard = async |name: &str, password: &str, ip: &str| {
            let caller = app.anybody().from(ip);
            for _ in 0..3 {
                assert_eq!(caller.sign_in(name, "Wrong123", "").await.status(), 4001);
            }
            let mut heard = Vec::new();
            for _ in 0..12 {
                // A made-up code, which is none of a captcha.
                let answer = caller.sign_in(name, password, "123456").await;
                let wait = answer.headers.get("retry-after").map(|seconds| seconds.to_str().unwrap().parse::<i64>().unwrap());
                heard.push((answer.brief(), answer.errors(), wait));
                app.app.clock.advance_seconds(wait.unwrap_or(0));
            }
            heard
        };
        let right = heard("clerk", PASSWORD, "10.5.0.1").await;
        let wrong = heard("other", "Wrong123", "10.5.0.2").await;
        for ((brief, errors, wait), (other_brief, other_errors, other_wait)) in right.iter().zip(&wrong) {
            assert_eq!((brief, errors), (other_brief, other_errors), "{right:?} {wrong:?}");
            // The clock runs between two attempts.
            let apart = wait.unwrap_or(0).abs_diff(other_wait.unwrap_or(0));
            assert!(wait.is_some() == other_wait.is_some() && apart <= 2, "{right:?} {wrong:?}");
        }
        assert!(right.iter().any(|(_, _, wait)| wait.is_some_and(|wait| wait > 600)), "made-up codes are few: {right:?}");
    }

    async fn waits_grow_and_survive_a_restart(db) {
        let app = with_clerk(db).await;
        let caller = app.anybody().from("10.1.0.1");
        let mut waits = Vec::new();
        for _ in 0..5 {
            assert!([4001, 4007].contains(&fail(&app, &caller, "clerk").await.status()));
        }
        for _ in 0..3 {
            // The owner with the right password waits as well, and from another address.
            let text = captcha(&app.app, &caller, "clerk").await;
            let seconds = seconds_to_wait(&caller.sign_in("clerk", PASSWORD, &text).await);
            assert_eq!(app.anybody().from("10.77.0.1").sign_in("clerk", PASSWORD, "").await.brief(), (429, 4029));
            waits.push(seconds);
            app.app.clock.advance_seconds(seconds);
            assert_eq!(fail(&app, &caller, "clerk").await.brief(), (200, 4001));
        }
        assert_eq!(waits, [2, 4, 8]);

        let app = app.restarted().await;
        let caller = app.anybody().from("10.1.0.1");
        let seconds = seconds_to_wait(&caller.sign_in("clerk", PASSWORD, "").await);
        assert!((15..=16).contains(&seconds), "{seconds}");
        app.app.clock.advance_seconds(seconds);
        let text = captcha(&app.app, &caller, "clerk").await;
        assert_eq!(caller.sign_in("clerk", PASSWORD, &text).await.brief(), (200, 0));
    }

    async fn parallel_guesses_are_counted_one_by_one(db) {
        let app = with_clerk(db).await;
        let caller = app.anybody();
        let guesses = futures::future::join_all((0..30).map(|_| caller.sign_in("clerk", "Wrong123", ""))).await;
        let checked = guesses.iter().filter(|answer| answer.status() == 4001).count();
        assert_eq!(checked, 3, "the rest hears of the captcha");
    }

    async fn a_claimed_address_changes_nothing(db) {
        let app = with_clerk(db).await;
        for n in 0..20 {
            let caller = app.anybody().from("203.0.113.9").header("x-forwarded-for", format!("198.51.100.{n}"));
            let name = format!("nobody{n}");
            assert!([4001, 4007].contains(&fail(&app, &caller, &name).await.status()));
        }
        let caller = app.anybody().from("203.0.113.9").header("x-forwarded-for", "198.51.100.99");
        assert!(seconds_to_wait(&caller.sign_in("clerk", PASSWORD, "").await) > 0);
        assert_eq!(app.anybody().from("203.0.113.10").sign_in("clerk", PASSWORD, "").await.status(), 0);
    }

    async fn a_trusted_proxy_is_believed(db) {
        let proxy = "192.0.2.1";
        let app = TestApp::with(db, |config| config.trusted_proxies = vec![proxy.parse().unwrap()]).await;
        let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
        app.give_password(who).await;
        // What stands before the proxy's own entry was made up by the client.
        let via = |claimed: &str, real: &str| app.anybody().from(proxy).header("x-forwarded-for", format!("{claimed}, {real}"));
        for n in 0..20 {
            let caller = via(&format!("198.51.100.{n}"), "203.0.113.9");
            let answer = caller.sign_in(&format!("nobody{n}"), "Wrong123", "").await;
            if answer.status() == 4007 {
                let text = {
                    caller.post(CAPTCHA, json!({ "username": STANDARD.encode(format!("nobody{n}")) })).await.data();
                    app.app.part::<Auth>().captchas.peek(&format!("nobody{n}"), "203.0.113.9".parse().unwrap()).unwrap()
                };
                assert_eq!(caller.sign_in(&format!("nobody{n}"), "Wrong123", &text).await.status(), 4001);
            }
        }
        assert!(seconds_to_wait(&via("198.51.100.1", "203.0.113.9").sign_in("clerk", PASSWORD, "").await) > 0);
        assert_eq!(via("203.0.113.9", "203.0.113.10").sign_in("clerk", PASSWORD, "").await.status(), 0);
    }

    async fn an_outsider_cannot_lock_the_owner_out(db) {
        let app = with_clerk(db).await;
        let owner = app.anybody().from("10.1.0.7");
        let cookie = device_cookie(&owner.sign_in("clerk", PASSWORD, "").await);
        let owner = owner.header("cookie", cookie.clone());
        for n in 0..8 {
            // From the owner's own address, and from many others.
            let outsider = app.anybody().from(if n < 3 { "10.1.0.7" } else { "203.0.113.4" });
            fail(&app, &outsider, "clerk").await;
        }
        assert_eq!(app.anybody().from("10.8.8.8").sign_in("clerk", PASSWORD, "").await.brief(), (429, 4029));
        let again = owner.sign_in("clerk", PASSWORD, "").await;
        assert_eq!(again.brief(), (200, 0), "the owner's device neither waits nor solves a captcha");
        let renewed = device_cookie(&again);
        assert_eq!(app.anybody().from("10.8.8.8").sign_in("clerk", PASSWORD, "").await.status(), 4029, "and does not clear the outsider's count");

        // The device has a count of its own.
        let app = app.restarted().await;
        let device = app.anybody().header("cookie", renewed);
        for _ in 0..5 {
            fail(&app, &device, "clerk").await;
        }
        assert!(seconds_to_wait(&device.sign_in("clerk", PASSWORD, "").await) > 0);
    }

    async fn a_device_is_trusted_by_one_account_one_password_and_for_a_while(db) {
        let app = with_clerk(db).await;
        let other = app.operator("other", &["clientUser:list"]).await.operator.unwrap();
        app.give_password(other).await;
        let signed_in = app.anybody().sign_in("clerk", PASSWORD, "").await;
        let set = signed_in.headers["set-cookie"].to_str().unwrap();
        assert!(set.contains("; HttpOnly; SameSite=Strict") && !set.contains("Secure"), "{set}");
        let cookie = device_cookie(&signed_in);
        let value = cookie.split_once('=').unwrap().1;
        for name in ["clerk", "other"] {
            for n in 0..5 {
                fail(&app, &app.anybody().from(&format!("10.3.0.{n}")), name).await;
            }
        }
        let trusted = async |cookie: String| app.anybody().from("10.3.1.1").header("cookie", cookie).sign_in("clerk", PASSWORD, "").await.status() == 0;
        let others = device_cookie(&{
            app.app.clock.advance_seconds(60);
            let caller = app.anybody().from("10.3.2.2");
            let text = captcha(&app.app, &caller, "other").await;
            caller.sign_in("other", PASSWORD, &text).await
        });
        let forged = format!("{}={}", cookie.split_once('=').unwrap().0, others.split_once('=').unwrap().1);
        let mut changed = cookie.clone().into_bytes();
        let middle = changed.len() - 40;
        changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        for bad in [forged, changed, cookie.replace(value, ""), cookie.replace(value, "AAAA")] {
            let answer = app.anybody().from("10.3.1.1").header("cookie", bad.clone()).sign_in("clerk", PASSWORD, "").await;
            assert_ne!(answer.status(), 0, "{bad}");
        }
        assert!(trusted(cookie.clone()).await);
        app.app.clock.advance_seconds(91 * 24 * 3600);
        for n in 0..5 {
            fail(&app, &app.anybody().from(&format!("10.4.0.{n}")), "clerk").await;
        }
        assert!(!trusted(cookie).await, "it expired");
    }

    async fn pictures_are_rationed(db) {
        let app = TestApp::new(db).await;
        let ask = async |n: u32| {
            app.anybody().post(CAPTCHA, json!({ "username": STANDARD.encode(format!("n{n}")) })).await.brief()
        };
        for n in 0..30 {
            assert_eq!(ask(n).await, (200, 0));
        }
        // On a busy machine a few are given out anew meanwhile.
        let mut n = 30;
        while ask(n).await != (429, 4029) {
            n += 1;
            assert!(n < 60, "they have no end");
        }
        assert_eq!(app.anybody().from("10.0.0.2").post(CAPTCHA, json!({})).await.status(), 0);
    }

    async fn malformed_attempts_are_counted_too(db) {
        let app = TestApp::new(db).await;
        let bad = json!({ "username": "%%%", "password": "%%%" });
        for _ in 0..3 {
            assert_eq!(app.anybody().post(SIGN_IN, bad.clone()).await.brief(), (200, 4001));
        }
        assert_eq!(app.anybody().post(SIGN_IN, bad).await.errors(), ["authCode captchaRequired"]);
    }
}
