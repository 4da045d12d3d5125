//! What every list has: an order for each column that it names, whole pages, and a file of what its filter matches. A list
//! that a domain hands over is tried by itself; one without rows in [`company`] fails by its name.

mod calls;
mod company;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use db::kept::{self, Cells};
use serde_json::{Value, json};
use server::domains;
use testapp::{Caller, TestApp};
use testkit::{counters, db_test};

pub use calls::{DOCUMENT, LISTS, LOG, Listed, listed, send};
pub use company::company;

/// What a filter of a list asks for that nothing has.
fn nothing(list: &Listed) -> Option<(String, &'static str)> {
    let word = if list.list == "/api/fleet/v1/bmcs" { "203.0.113.9" } else { "no-such-thing" };
    let mut names = crate::filters::filters(&DOCUMENT, list.file_method, &list.file).into_iter().map(|(name, _)| name);
    names.find(|name| ["keyWord", "createdBy"].contains(&name.as_str())).map(|name| (name, word))
}

/// Waits until the result file of an export's task is there.
async fn file_of(clerk: &Caller<'_>, started: &Value) -> Value {
    let id = started["taskId"].as_str().unwrap_or_else(|| panic!("no task: {started}"));
    clerk.finished(id).await
}

db_test! {
    async fn every_list_keeps_to_the_rules_of_lists(db) {
        let app = TestApp::with(db, |config| config.time_zone = "UTC".to_owned()).await;
        let clerk = company(&app).await;
        let mut orders = rules::Orders::default();
        for list in listed(&clerk).await {
            rules::is_ordered(&clerk, &list, &mut orders).await;
            rules::is_paged(&clerk, &list).await;
            rules::refuses_what_is_wrong(&clerk, &list).await;
            rules::is_a_file(&clerk, &list).await;
        }
        assert!(orders.keys > 60, "{} keys", orders.keys);
        assert!(orders.with_ties > 3, "only {} keys have ties", orders.with_ties);
        assert_eq!(orders.alike, [""; 0], "an order of equal values is any order: see DIFFERENT");
    }

    async fn what_is_counted_is_what_is_there(db) {
        let app = TestApp::new(db).await;
        company(&app).await;
        let (read, mut numbers) = (app.app.db.read(), BTreeSet::new());
        for packed in domains::all().iter().flat_map(|domain| domain.counted) {
            assert!(numbers.insert(packed.list), "{packed:?} counts under another's number");
            // What has names has no cells in all.
            if packed.word.is_none() {
                assert!(kept::total(read, packed.list, Cells::All).await.unwrap() > 0, "nothing of {}", packed.table);
            }
            counters::check(read, [packed]).await;
        }
        assert!(numbers.len() > 8, "{numbers:?}");
    }

    async fn every_list_is_a_file_of_what_its_filter_matches(db) {
        let app = TestApp::new(db).await;
        let clerk = company(&app).await;
        let (mut lists, mut asked) = (listed(&clerk).await, BTreeMap::new());
        // What its file leaves out, and that there is none of nothing, is tried with the log itself.
        lists.retain(|list| list.list != LOG);
        for list in &lists {
            let total = list.page(&clerk, &json!({ "pageSize": 1 })).await["total"].as_u64().unwrap();
            assert!(total > 0, "{list} is empty");
            let zh = list.ask_for_file(&clerk, &json!({ "format": "csv" })).await.table();
            let en = list.ask_for_file(&clerk.clone().lang("en"), &json!({ "format": "xlsx" })).await.table();
            assert_eq!((zh.len() - 1, en.len() - 1), (total as usize, total as usize), "{list}");
            assert_ne!(zh[0], en[0], "{list}");
            for heading in zh[0].iter().chain(&en[0]) {
                assert!(!heading.is_empty(), "{list} has a column without a heading");
            }
            for row in &zh {
                assert_eq!(row.len(), zh[0].len(), "{list}: {row:?}");
            }
            let files: &mut usize = asked.entry(list.file.clone()).or_default();
            *files += 2;
            if let Some((name, word)) = nothing(list) {
                let none = list.ask_for_file(&clerk, &json!({ "format": "csv", &name: word })).await;
                assert_eq!(none.table().len(), 1, "the file of {list} does not heed its filter");
                *files += 1;
            }
        }
        let (trail, routes) = (app.audit_trail().await, server::router::surface().routes);
        for (file, times) in asked {
            let act = routes.iter().find(|route| route.path == file).unwrap().operation;
            assert_eq!(trail.iter().filter(|line| **line == format!("clerk {act} 0")).count(), times, "{act}");
        }
    }

    async fn the_first_octets_of_an_address_find_what_has_it(db) {
        let app = TestApp::new(db).await;
        let clerk = company(&app).await;
        let found = async |list: &str, word: &str| {
            let page = clerk.get(&format!("/api/fleet/v1/{list}?keyWord={word}")).await.data();
            page["total"].as_u64().unwrap()
        };
        assert_eq!((found("findings", "10.9").await, found("findings", "10.9.0.1").await), (3, 1));
        assert_eq!((found("findings", "10.8").await, found("findings", "serial2").await), (0, 1));
        assert_eq!((found("bmcs", "10.250.0.").await, found("bmcs", "10.250.0.1").await), (3, 1));
        let cards = found("cards", "").await;
        assert_eq!((found("cards", "10").await, found("cards", "9.").await), (cards, 0), "short of the index");
        let card = clerk.get("/api/fleet/v1/cards?pageSize=1").await.data()["list"][0].clone();
        let address = card["intranetIp"].as_str().unwrap();
        let hits = clerk.get(&format!("/api/general/v1/search?q={address}")).await.data();
        let hit = hits.as_array().unwrap().iter().find(|hit| hit["title"] == address).unwrap();
        assert_eq!((&hit["kind"], &hit["path"]), (&json!("card"), &json!(format!("/device/management?detail={}", card["id"]))));
        let stranger = app.operator("stranger", &["clientUser:list"]).await;
        assert_eq!(stranger.get(&format!("/api/general/v1/search?q={address}")).await.data(), json!([]));
        let plans = found("address-plans", "").await;
        assert_eq!((found("address-plans", "10.").await, found("address-plans", "9.").await), (plans, 0));
        let bad = clerk.get("/api/fleet/v1/bmcs?keyWord=x").await;
        assert_eq!((bad.brief(), bad.errors()), ((400, 4000), vec!["keyWord ip.format".to_owned()]));
    }

    async fn every_long_list_becomes_a_task_that_some_job_runs(db) {
        let app = TestApp::with(db, |config| config.export_rows = 0).await;
        let clerk = company(&app).await;
        let lists = listed(&clerk).await;
        let work = app.work().await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        let mut made = BTreeSet::new();
        for list in &lists {
            let started = list.ask_for_file(&clerk, &json!({ "format": "csv" })).await.data();
            let task = file_of(&clerk, &started).await;
            assert_eq!(task["state"], "succeeded", "{list}: {task}");
            made.insert(task["kind"].as_str().unwrap().to_owned());
            let result = format!("/api/task/v1/tasks/{}/file", task["id"].as_str().unwrap());
            assert_eq!(clerk.get(&result).await.http.as_u16(), 200, "{list}");
            let needed = list.file_code();
            let refused = viewer.get(&result).await;
            assert_eq!(refused.brief(), (200, 4003), "{list} is had by who lacks {needed}");
            assert!(refused.json()["msg"].as_str().unwrap().contains(needed), "{list} needs {needed}: {refused:?}");
        }
        work.stop().await;
        let handed_over: BTreeSet<String> =
            server::domains::all().iter().flat_map(|domain| domain.lists).map(|list| list.kind.to_owned()).collect();
        assert_eq!(made, handed_over, "lists that domains hand over, and those that are tried here");
    }
}
