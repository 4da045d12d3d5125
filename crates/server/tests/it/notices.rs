//! What operators are told about their own accounts.

use std::ops::Range;

use accounts::notice::{self, Notice, PruneNotices};
use entity::{OperatorId, operator_notice};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Answer, CODES, Caller, PASSWORD, TestApp};
use testkit::db_test;

const MINE: &str = "/api/user/v1/me/notices";
const USER: &str = "/api/user/v1/designjet/user";

/// What somebody was told, newest first: `title by`, and how much of it is new.
async fn told(caller: &Caller<'_>) -> (u64, Vec<String>) {
    let notices = caller.clone().lang("en").get(MINE).await.data();
    let brief = |notice: &Value| format!("{} / {}", notice["title"].as_str().unwrap(), notice["by"].as_str().unwrap());
    (notices["unread"].as_u64().unwrap(), notices["list"].as_array().unwrap().iter().map(brief).collect())
}

async fn signed_in<'a>(app: &'a TestApp, name: &str) -> Caller<'a> {
    let answer = app.anybody().sign_in(name, PASSWORD, "").await;
    app.anybody().token(answer.data()["token"].as_str().unwrap())
}

/// Tells an operator as many things, each with its number as the detail.
async fn give(app: &TestApp, to: OperatorId, numbers: Range<u32>) {
    let tx = app.app.db.begin_write().await.unwrap();
    for n in numbers {
        let notice = Notice {
            to,
            kind: operator_notice::NoticeKind::SessionsEnded,
            by: "somebody with a name that is longer than the column of the table takes it, by far",
            ip: String::new(),
            detail: &n.to_string(),
        };
        notice::tell(&*tx, notice, app.app.clock.now()).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// The cookies that an answer sets, as a browser sends them back.
fn cookies(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    set.map(|cookie| cookie.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
}

db_test! {
    async fn what_others_do_to_an_account_is_told_to_its_owner_and_to_nobody_else(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let admin = app.admin().await;
        let id = clerk.operator.unwrap();
        let reset = admin.encrypted(PASSWORD).await;
        admin.put(&format!("{USER}/password"), json!({ "id": id, "password": reset, "confirmPassword": reset })).await.data();
        let newcomer = signed_in(&app, "clerk").await;
        let once = newcomer.encrypted("Better456").await;
        newcomer.post("/api/user/v1/designjet/login/updatePassword", json!({ "password": once, "confirmPassword": once })).await.data();
        app.give_password(id).await;

        let clerk = signed_in(&app, "clerk").await;
        clerk.post("/api/user/v1/me/second-factor", json!({})).await.data();
        admin.post(&format!("/api/user/v1/operators/{id}/signOut"), json!({})).await.data();
        admin.post(&format!("/api/user/v1/operators/{id}/second-factor/reset"), json!({})).await.data();
        let clerk = signed_in(&app, "clerk").await;

        let (unread, list) = told(&clerk).await;
        assert_eq!(list, [
            "Somebody else turned off your two-step verification / admin",
            "Somebody else ended your sessions / admin",
            "A new browser signed in to your account / clerk",
            "You changed your password / clerk",
            "Your password was reset / admin",
        ]);
        assert_eq!(unread, 5);
        assert_eq!(told(&admin).await, (0, Vec::new()), "not for other people's eyes");
    }

    async fn notices_are_marked_as_read_up_to_the_last_that_was_seen(db) {
        let app = TestApp::new(db).await;
        let (clerk, other) = (app.operator("clerk", &[]).await, app.operator("other", &[]).await);
        for caller in [&clerk, &clerk, &other] {
            give(&app, caller.operator.unwrap(), 0..1).await;
        }
        let list = clerk.get(MINE).await.data()["list"].clone();
        let ids: Vec<i64> = list.as_array().unwrap().iter().map(|notice| notice["id"].as_i64().unwrap()).collect();
        assert_eq!(ids.len(), 2);

        clerk.post(&format!("{MINE}/read"), json!({ "upTo": ids[1] })).await.data();
        let after = clerk.get(MINE).await.data();
        assert_eq!((&after["unread"], &after["list"][0]["read"], &after["list"][1]["read"]), (&json!(1), &json!(false), &json!(true)));
        clerk.post(&format!("{MINE}/read"), json!({ "upTo": i64::MAX })).await.data();
        assert_eq!((told(&clerk).await.0, told(&other).await.0), (0, 1), "nobody else's");
        assert_eq!(clerk.post(&format!("{MINE}/read"), json!({})).await.errors(), ["upTo required"]);
        assert_eq!(app.anybody().get(MINE).await.brief(), (401, 6014));
    }

    async fn a_change_that_is_refused_is_told_to_nobody(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let weaker = app.operator("weaker", &["operator:resetPassword", "operator:signOut", "operator:linkIdentity"]).await;
        let id = clerk.operator.unwrap();
        let reset = weaker.encrypted(PASSWORD).await;
        weaker.put(&format!("{USER}/password"), json!({ "id": id, "password": reset, "confirmPassword": reset })).await;
        weaker.post(&format!("/api/user/v1/operators/{id}/signOut"), json!({})).await;
        weaker.put(&format!("/api/user/v1/operators/{id}/openid"), json!({})).await;
        assert_eq!(told(&clerk).await, (0, Vec::new()));
    }

    async fn a_browser_that_is_not_known_is_told_of_once(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &[]).await;
        app.give_password(who.operator.unwrap()).await;
        let first = app.anybody().sign_in("clerk", PASSWORD, "").await;
        let browser = app.anybody().header("cookie", cookies(&first));
        let again = browser.sign_in("clerk", PASSWORD, "").await;
        let clerk = app.anybody().token(again.data()["token"].as_str().unwrap());
        assert_eq!(told(&clerk).await.0, 0, "the first of all, and one that is known");

        for address in ["10.9.0.1", "10.9.0.1", "10.9.0.2"] {
            app.anybody().from(address).sign_in("clerk", PASSWORD, "").await.data();
        }
        let notices = signed_in(&app, "clerk").await.get(MINE).await.data();
        let from: Vec<&Value> = notices["list"].as_array().unwrap().iter().map(|notice| &notice["ip"]).collect();
        assert_eq!(from, ["127.0.0.1", "10.9.0.2", "10.9.0.1"]);
        assert_eq!(notices["list"][0]["detail"], "火狐浏览器");
    }

    async fn an_operator_keeps_a_hundred_and_old_ones_are_removed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let other = app.operator("other", &[]).await;
        let id = clerk.operator.unwrap();
        give(&app, other.operator.unwrap(), 0..1).await;
        give(&app, id, 0..103).await;
        let notices = clerk.get(MINE).await.data();
        let list = notices["list"].as_array().unwrap();
        assert_eq!((list.len(), &list[0]["detail"], &list[99]["detail"]), (100, &json!("102"), &json!("3")));
        assert_eq!(operator_notice::Entity::find().count(app.app.db.read()).await.unwrap(), 101, "each has his own hundred");

        let tx = app.app.db.begin_write().await.unwrap();
        let long_ago = app.app.clock.now().plus_seconds(-181 * 24 * 3600).millis();
        operator_notice::Entity::update_many()
            .col_expr(operator_notice::Column::At, Expr::value(long_ago))
            .filter(operator_notice::Column::OperatorId.eq(id))
            .exec(&*tx)
            .await
            .unwrap();
        let by = queue::Creator::operator(id, "clerk");
        let task = app.app.queue.enqueue(&tx, &PruneNotices {}, &by).await.unwrap();
        tx.commit().await.unwrap();
        let work = app.work().await;
        assert_eq!(clerk.finished(&task.0).await["state"], "succeeded");
        work.stop().await;
        assert_eq!(operator_notice::Entity::find().count(app.app.db.read()).await.unwrap(), 1);
    }
}
