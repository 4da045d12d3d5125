//! The operation log: found, described, exported, and proven whole.

use http::Method;
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;

use crate::architecture::{crates, sources};

const GROUP: &str = "/api/user/v1/designjet/permissions/group";
const LOG: &str = "/api/user/v1/operation/log";
const PREFIXES: [&str; 2] = ["/v1/operation/log", LOG];

/// Two groups made and one renamed, by an operator of the name `name`.
async fn busy<'a>(app: &'a TestApp, name: &str) -> Caller<'a> {
    let clerk = app.operator(name, &["group:create", "group:update", "operationLog:list", "operationLog:export"]).await;
    let made = clerk.post(GROUP, json!({ "groupName": format!("=SUM({name})") })).await.data();
    clerk.post(GROUP, json!({ "groupName": format!("other {name}") })).await.data();
    clerk.put(GROUP, json!({ "id": made["id"], "groupName": format!("@renamed {name}") })).await.data();
    clerk
}

fn actions(page: &Value) -> Vec<&str> {
    page["list"].as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect()
}

/// The rows of the first worksheet, cell by cell, and the formulas in it.
fn sheet(answer: &Answer) -> (Vec<Vec<String>>, usize) {
    use calamine::Reader as _;
    let mut book: calamine::Xlsx<_> =
        calamine::open_workbook_from_rs(std::io::Cursor::new(answer.bytes.clone())).unwrap();
    let name = book.sheet_names()[0].clone();
    let cells = book.worksheet_range(&name).unwrap();
    let formulas = book.worksheet_formula(&name).unwrap().used_cells().count();
    (cells.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect(), formulas)
}

db_test! {
    async fn what_was_done_is_found_by_every_filter_under_both_paths(db) {
        let app = TestApp::new(db).await;
        let clerk = busy(&app, "clerk").await;
        busy(&app, "other").await;
        for prefix in PREFIXES {
            let found = |body: Value| { let (clerk, url) = (clerk.clone(), format!("{prefix}/list")); async move { clerk.post(&url, body).await.data() } };
            assert_eq!(actions(&found(json!({ "operatorId": clerk.operator })).await), ["group_update", "group_create", "group_create"]);
            assert_eq!(found(json!({})).await["total"], 6);
            assert_eq!(actions(&found(json!({ "pageNum": 2, "pageSize": 4 })).await), ["group_create", "group_create"]);
            for (filter, total) in [
                (json!({ "action": "group_update" }), 2),
                (json!({ "keyWord": "RENAMED cl" }), 1),
                (json!({ "keyWord": "%" }), 0),
                (json!({ "keyWord": "", "action": "", "objectKind": "" }), 6),
                (json!({ "objectKind": "group" }), 6),
                (json!({ "objectKind": "menu" }), 0),
                (json!({ "objectKind": "group", "objectId": "2" }), 0),
                (json!({ "succeeded": false }), 0),
                (json!({ "startTime": "2999-01-01T00:00:00Z" }), 0),
                (json!({ "endTime": "2999-01-01T00:00:00+08:00" }), 6),
            ] {
                assert_eq!(found(filter.clone()).await["total"], total, "{filter}");
            }
            let wrong = clerk.post(&format!("{prefix}/list"), json!({ "startTime": "2026-02-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z" })).await;
            assert_eq!(wrong.errors(), ["endTime time.endBeforeStart"]);
        }
    }

    async fn a_line_says_before_and_after_in_the_callers_language(db) {
        let app = TestApp::new(db).await;
        let clerk = busy(&app, "clerk").await;
        let row = clerk.post(&format!("{LOG}/list"), json!({})).await.data()["list"][0].clone();
        let zh = clerk.get(&format!("{LOG}/{}", row["id"])).await.data();
        assert_eq!((&zh["before"]["groupName"], &zh["after"]["groupName"]), (&json!("=SUM(clerk)"), &json!("@renamed clerk")));
        assert_eq!((&zh["operatorName"], &zh["ip"], &zh["actionName"], &zh["objectKindName"]), (&json!("clerk"), &json!("127.0.0.1"), &json!("权限组 · 编辑"), &json!("权限组")));
        assert_eq!(zh["hash"].as_str().unwrap().len(), 64);
        let en = clerk.clone().lang("en").get(&format!("{LOG}/{}", row["id"])).await.data();
        assert_eq!((&en["actionName"], &en["objectKindName"]), (&json!("Permission groups · Edit"), &json!("Permission group")));
        assert_eq!(clerk.get(&format!("{LOG}/999999")).await.brief(), (404, 4004));
    }

    async fn a_refused_act_is_in_the_log_as_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["operationLog:list"]).await;
        assert_eq!(clerk.post(GROUP, json!({ "groupName": "not allowed" })).await.brief(), (200, 4003));
        let found = clerk.post(&format!("{LOG}/list"), json!({ "succeeded": false })).await.data();
        assert_eq!((&found["total"], &found["list"][0]["status"], &found["list"][0]["action"]), (&json!(1), &json!(4003), &json!("group_create")));
    }

    async fn the_export_is_a_workbook_of_what_the_filter_means(db) {
        let app = TestApp::new(db).await;
        let clerk = busy(&app, "clerk").await;
        busy(&app, "other").await;
        for prefix in PREFIXES {
            let filter = json!({ "operatorId": clerk.operator, "action": "group_create" });
            let answer = clerk.post(&format!("{prefix}/export"), filter).await;
            assert_eq!(answer.headers["content-type"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
            let name = answer.headers["content-disposition"].to_str().unwrap();
            assert!(name.starts_with("attachment; filename=\"") && name.ends_with("filename*=UTF-8''%E6%93%8D%E4%BD%9C%E8%AE%B0%E5%BD%95.xlsx"), "{name}");
            let (rows, formulas) = sheet(&answer);
            assert_eq!(formulas, 0, "a name that looks like a formula is a text");
            assert_eq!(rows.len(), 3);
            assert_eq!(rows[0][..3], ["编号", "时间", "操作员"]);
            assert_eq!((rows[2][2].as_str(), rows[2][7].as_str(), rows[2][8].as_str()), ("clerk", "=SUM(clerk)", "成功"));
        }
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| *line == "clerk operation_log_export 0").count(), 2, "an export is logged itself");
        let (rows, _) = sheet(&clerk.clone().lang("en").post(&format!("{LOG}/export"), json!({})).await);
        assert!(rows[0].iter().all(|heading| heading.is_ascii()), "{:?}", rows[0]);
    }

    async fn an_export_of_nothing_is_status_1_with_a_sentence(db) {
        let app = TestApp::new(db).await;
        let clerk = busy(&app, "clerk").await;
        for (lang, said) in [("zh", "没有可导出的操作记录"), ("en", "There are no operation records to export")] {
            let answer = clerk.clone().lang(lang).post(&format!("{LOG}/export"), json!({ "startTime": "2999-01-01T00:00:00Z" })).await;
            assert_eq!(answer.brief(), (200, 1));
            assert_eq!((answer.json()["msg"].clone(), answer.json()["success"].clone()), (json!(said), json!(false)));
        }
    }

    async fn a_long_export_is_a_task_whose_file_ends_with_the_moment_that_asked(db) {
        let app = TestApp::with(db, |config| config.export_rows = 2).await;
        let clerk = busy(&app, "clerk").await;
        let work = app.work().await;
        let begun = clerk.post(&format!("{LOG}/export"), json!({ "operatorId": clerk.operator, "format": "csv" })).await.data();
        let id = begun["taskId"].as_str().unwrap();
        let task = clerk.finished(id).await;
        assert_eq!((&task["state"], &task["result"]["fileName"]), (&json!("succeeded"), &json!("操作记录.csv")), "{task}");
        let file = clerk.get(&format!("/api/task/v1/tasks/{id}/file")).await;
        let text = String::from_utf8(file.bytes).unwrap();
        assert_eq!(text.lines().count(), 4, "the line about the export is not in it: {text}");
        assert!(text.lines().nth(1).unwrap().contains("权限组 · 编辑"), "acts are in words: {text}");
        work.stop().await;
    }

    async fn the_chain_is_whole_until_somebody_goes_around_the_server(db) {
        let app = TestApp::new(db).await;
        let clerk = busy(&app, "clerk").await;
        let check = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!(check, json!({ "lines": 3, "anchors": 0, "ok": true, "brokenAt": null, "fault": null }));

        let tx = app.app.db.begin_write().await.unwrap();
        let open_up = if app.app.db.backend() == sea_orm::DbBackend::Sqlite {
            "DROP TRIGGER operation_log_no_update"
        } else {
            "DROP TRIGGER operation_log_no_change ON operation_log"
        };
        tx.execute_unprepared(open_up).await.unwrap();
        tx.execute_unprepared("UPDATE operation_log SET operator_name = 'somebody else' WHERE id = 2").await.unwrap();
        tx.commit().await.unwrap();
        let check = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!(check, json!({ "lines": 3, "anchors": 0, "ok": false, "brokenAt": 2, "fault": "它的内容被修改过" }));
    }

    async fn an_anchor_outside_tells_that_the_end_was_cut_off_or_written_anew(db) {
        let app = TestApp::new(db).await;
        let (anchors, now) = (app.app.anchors.clone(), app.app.clock.now());
        assert!(!anchors.drop_one(&app.app.db, now).await.unwrap(), "there is nothing to anchor yet");
        let clerk = busy(&app, "clerk").await;
        assert!(anchors.drop_one(&app.app.db, now).await.unwrap());
        assert!(!anchors.drop_one(&app.app.db, now).await.unwrap(), "it is anchored already");
        let whole = json!({ "lines": 3, "anchors": 1, "ok": true, "brokenAt": null, "fault": null });
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data(), whole);
        let path = app.app.config.data_dir.join("audit.anchor");
        let anchored = std::fs::read_to_string(&path).unwrap();
        assert!(anchored.lines().count() == 1 && anchored.contains(" 3 "), "{anchored}");

        // A line torn by a crash is skipped, and the next one starts on a new line.
        std::fs::write(&path, format!("{anchored}2026-11-21T")).unwrap();
        clerk.put("/api/user/v1/me", json!({ "remark": "me" })).await.data();
        assert!(anchors.drop_one(&app.app.db, now).await.unwrap());
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["anchors"], 2);

        // Whoever may do anything to the database cuts the end off: the chain that is left is whole.
        let tx = app.app.db.begin_write().await.unwrap();
        let open_up = if app.app.db.backend() == sea_orm::DbBackend::Sqlite {
            "DROP TRIGGER operation_log_no_delete"
        } else {
            "DROP TRIGGER operation_log_no_change ON operation_log"
        };
        tx.execute_unprepared(open_up).await.unwrap();
        tx.execute_unprepared("DELETE FROM operation_log WHERE id > 3").await.unwrap();
        tx.commit().await.unwrap();
        let app = app.restarted().await;
        let clerk = app.operator("second", &["operationLog:list"]).await;
        let check = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!((&check["ok"], &check["brokenAt"]), (&json!(false), &json!(4)), "{check}");
        assert_eq!(check["fault"], "锚点记载了它，但日志在它之前就结束了");
        // And writes other lines instead.
        clerk.put("/api/user/v1/me", json!({ "remark": "somebody" })).await.data();
        let check = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!((&check["brokenAt"], &check["fault"]), (&json!(4), &json!("锚点以该编号记载的是另一条记录")));
        assert!(app.app.anchors.drop_one(&app.app.db, now).await.is_err(), "the proof must stay");
        assert_eq!(app.app.anchors.read().unwrap().len(), 2);

        // After a restore the anchors of what the backup did not hold are no longer asked for.
        app.app.anchors.restored(&app.app.db, now).await.unwrap();
        assert!(app.app.anchors.drop_one(&app.app.db, now).await.is_ok());
    }

    async fn anchors_that_somebody_made_up_are_found(db) {
        let app = TestApp::new(db).await;
        let (anchors, now) = (app.app.anchors.clone(), app.app.clock.now());
        let clerk = busy(&app, "clerk").await;
        let path = app.app.config.data_dir.join("audit.anchor");
        // One of an earlier version, without a signature: it is believed until there is one with it.
        let head = db::journal::head(app.app.db.read()).await.unwrap().unwrap();
        let unsigned = format!("2026-11-21T22:40:00.000Z {} {}\n", head.id, hex::encode(&head.hash));
        std::fs::write(&path, &unsigned).unwrap();
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["anchors"], 1);
        assert!(anchors.drop_one(&app.app.db, now).await.unwrap(), "it gets a signature");
        clerk.put("/api/user/v1/me", json!({ "remark": "me" })).await.data();
        assert!(anchors.drop_one(&app.app.db, now).await.unwrap());
        let good = std::fs::read_to_string(&path).unwrap();
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["anchors"], 3);

        let lines: Vec<&str> = good.lines().collect();
        let stripped = |line: &str| line.split_once(' ').unwrap().1.to_owned();
        let app = app.restarted().await;
        let clerk = app.operator("second", &["operationLog:list"]).await;
        for (what, forged) in [
            ("one line without its signature", vec![lines[0].to_owned(), lines[1].to_owned(), stripped(lines[2])]),
            ("all of them without", vec![lines[0].to_owned(), stripped(lines[1]), stripped(lines[2])]),
            ("the unsigned one alone", vec![lines[0].to_owned()]),
            ("another time", vec![lines[0].to_owned(), lines[1].to_owned(), lines[2].replacen("20", "21", 1)]),
            ("one taken out", vec![lines[0].to_owned(), lines[2].to_owned()]),
            ("the unsigned one changed", vec![lines[0].replace("22:40", "22:41"), lines[1].to_owned(), lines[2].to_owned()]),
            ("an unsigned one at the end", [lines.clone(), vec![lines[0]]].concat().into_iter().map(str::to_owned).collect()),
            ("a signature of another line", vec![lines[0].to_owned(), lines[1].to_owned(), format!("{} {}", lines[1].split_once(' ').unwrap().0, stripped(lines[2]))]),
        ] {
            std::fs::write(&path, forged.join("\n") + "\n").unwrap();
            let check = clerk.get(&format!("{LOG}/verify")).await.data();
            assert_eq!(check["ok"], false, "{what}: {check}");
            assert_eq!(check["fault"], "它的锚点不是由本控制台签名的，或更早的锚点被修改过", "{what}");
            assert!(app.app.anchors.drop_one(&app.app.db, now).await.is_err(), "{what}: nothing is written over it");
        }
        std::fs::write(&path, &good).unwrap();
        assert_eq!(clerk.get(&format!("{LOG}/verify")).await.data()["ok"], true);

        // An earlier state of the file has good signatures; who has seen the later one misses it.
        clerk.put("/api/user/v1/me", json!({ "remark": "me" })).await.data();
        assert!(app.app.anchors.drop_one(&app.app.db, now).await.unwrap());
        std::fs::write(&path, &good).unwrap();
        let check = clerk.get(&format!("{LOG}/verify")).await.data();
        assert_eq!(check["fault"], "它的锚点已从文件中消失", "{check}");
    }

    async fn a_new_master_key_vouches_for_anchors_of_the_old_one(db) {
        let app = TestApp::new(db).await;
        busy(&app, "clerk").await;
        let now = app.app.clock.now();
        assert!(app.app.anchors.drop_one(&app.app.db, now).await.unwrap());
        server::admin::rotate_key(&app.app.db, &app.app.config, &app.app.clock).await.unwrap();
        let key_file = app.app.config.data_dir.join("master.key");
        let keys = std::fs::read_to_string(&key_file).unwrap();
        std::fs::write(&key_file, keys.lines().last().unwrap()).unwrap();
        let app = app.restarted().await;
        assert_eq!(app.app.anchors.check(app.app.db.read()).await.unwrap(), Ok(2));

        let path = app.app.config.data_dir.join("audit.anchor");
        let changed = std::fs::read_to_string(&path).unwrap().replacen("20", "21", 1);
        std::fs::write(&path, changed).unwrap();
        assert!(app.app.anchors.check(app.app.db.read()).await.unwrap().is_err(), "a line of the old key was changed");
    }

    async fn everybody_sees_his_own_acts(db) {
        let app = TestApp::new(db).await;
        busy(&app, "clerk").await;
        let other = app.operator("other", &[]).await;
        other.put("/api/user/v1/me", json!({ "remark": "me" })).await.data();
        let own = other.get("/api/user/v1/me/acts").await.data();
        assert_eq!(actions(&own), ["own_profile_update"]);
        assert_eq!(own["list"][0]["actionName"], "修改自己的资料");
        assert_eq!(other.post(&format!("{LOG}/list"), json!({})).await.brief(), (200, 4003));
    }

    async fn every_act_and_kind_of_object_has_a_name_in_both_languages(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["operationLog:list"]).await;
        let url = format!("{LOG}/words");
        let (zh, en) = (clerk.get(&url).await.data(), clerk.clone().lang("en").get(&url).await.data());
        for (words, is_english) in [(&zh, false), (&en, true)] {
            for word in words["actions"].as_array().unwrap().iter().chain(words["objectKinds"].as_array().unwrap()) {
                let name = word["name"].as_str().unwrap();
                assert_ne!(word["code"], word["name"], "name it in the descriptor of its domain");
                assert_eq!(name.is_ascii() || name.replace('·', "").is_ascii(), is_english, "{word}");
            }
        }
        let acting = server::router::surface().routes.into_iter().filter(|route| route.acts && route.method != Method::GET);
        for route in acting {
            for (action, _) in route.actions() {
                let known = zh["actions"].as_array().unwrap().iter().any(|word| word["code"] == action);
                assert!(known, "{action} is no word of the log");
            }
        }
    }
}

#[test]
fn every_kind_of_object_that_is_written_has_a_name() {
    let known: Vec<&str> =
        server::domains::all().iter().flat_map(|domain| domain.kinds).map(|(kind, _)| *kind).collect();
    let mut written = Vec::new();
    for group in std::fs::read_dir(crates()).unwrap() {
        for (_, text) in sources(&group.unwrap().path().join("src")) {
            for call in ["Audit::of(\"", "Audit::each(\""] {
                let kinds = text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
                written.extend(kinds.map(str::to_owned));
            }
        }
    }
    assert!(written.len() > 20 && written.contains(&"phone".to_owned()), "{written:?}");
    for kind in written {
        assert!(known.contains(&kind.as_str()), "name the kind {kind} in the descriptor of its domain");
    }
}
