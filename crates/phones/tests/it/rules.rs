//! The book of rules: whose value holds, how it is changed, and how many phones a change would reach.

use std::collections::HashMap;

use entity::phone::{self, Life, UseType};
use entity::rule_value::RuleField;
use entity::{PhoneId, rule_value};
use phones::{Rules, effective, effective_many, pass};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Answer, CODES, Caller, TestApp};
use testkit::db_test;

use super::{DAY, PHONES, id, make, put_on, world};

const RULES: &str = "/api/phone/v1/rules";

fn asked(scope: &Value) -> String {
    let pairs = scope.as_object().unwrap().iter().map(|(key, value)| format!("{key}={value}"));
    format!("{RULES}?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn sent(scope: &Value, version: &Value, values: &Value) -> Value {
    let mut body = scope.clone();
    body["version"] = version.clone();
    body["values"] = values.clone();
    body
}

async fn version(clerk: &Caller<'_>, scope: &Value) -> Value {
    clerk.get(&asked(scope)).await.data()["version"].clone()
}

async fn save(clerk: &Caller<'_>, scope: &Value, values: Value) -> Answer {
    let version = version(clerk, scope).await;
    clerk.put(RULES, sent(scope, &version, &values)).await
}

/// Every kind of scope that a phone of the plan VIP is in, the broadest first.
fn scopes(room: i64, phone: i64) -> [Value; 5] {
    [
        json!({ "scope": 1 }),
        json!({ "scope": 2, "plan": 2 }),
        json!({ "scope": 3, "roomId": room }),
        json!({ "scope": 4, "roomId": room, "plan": 2 }),
        json!({ "scope": 5, "phoneId": phone }),
    ]
}

/// The idle minutes that hold for a phone, and the kind of scope that they come from.
async fn idle(clerk: &Caller<'_>, phone: i64) -> (Value, Value) {
    let seen = clerk.get(&format!("{PHONES}/{phone}/rules")).await.data();
    let origins = seen["origins"].as_array().unwrap();
    let origin = origins.iter().find(|origin| origin["field"] == RuleField::IdleMinutes.code()).unwrap();
    (seen["values"]["idleMinutes"].clone(), origin["from"]["scope"].clone())
}

/// Phones that are there, in the order in which they were made.
async fn living(app: &TestApp) -> Vec<phone::Model> {
    let all = phone::Entity::find().filter(phone::Column::Life.ne(Life::Erased));
    all.order_by_asc(phone::Column::Id).all(app.app.db.read()).await.unwrap()
}

/// What holds for each of them.
async fn held(app: &TestApp) -> HashMap<PhoneId, Rules> {
    effective_many(app.app.db.read(), &living(app).await).await.unwrap()
}

db_test! {
    async fn the_narrowest_value_holds_and_one_that_is_cleared_gives_back_the_one_below(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (room, user) = world(&clerk).await;
        let phone = make(&clerk, &app, (room, user), 30, 1).await[0];
        // Those of others say nothing here.
        for other in [json!({ "scope": 2, "plan": 3 }), json!({ "scope": 4, "roomId": room, "plan": 4 })] {
            save(&clerk, &other, json!({ "idleMinutes": 77 })).await.data();
        }
        assert_eq!(idle(&clerk, phone).await, (json!(30), Value::Null));
        let scopes = scopes(room, phone);
        for (at, scope) in scopes.iter().enumerate() {
            let seen = save(&clerk, scope, json!({ "idleMinutes": 100 + at, "head": 5 })).await.data();
            assert_eq!((&seen["own"], &seen["version"]), (&json!({ "idleMinutes": 100 + at, "head": 5 }), &json!(1)));
            assert_eq!(idle(&clerk, phone).await, (json!(100 + at), scope["scope"].clone()));
        }
        // What a scope inherits is said with where it comes from, the narrowest first.
        let seen = clerk.get(&asked(&scopes[4])).await.data();
        let layers: Vec<(Value, Value)> = seen["inherited"].as_array().unwrap().iter()
            .map(|layer| (layer["of"]["scope"].clone(), layer["values"]["idleMinutes"].clone())).collect();
        let below = [(json!(4), json!(103)), (json!(3), json!(102)), (json!(2), json!(101)), (json!(1), json!(100)), (Value::Null, json!(30))];
        assert_eq!(layers, below);
        // Phones of a room are of several plans.
        let seen = clerk.get(&asked(&scopes[2])).await.data();
        let plans: Vec<Value> = seen["inherited"].as_array().unwrap().iter().map(|layer| layer["plan"].clone()).collect();
        assert_eq!(plans, [json!(2), json!(3), Value::Null, json!(3), json!(4), Value::Null]);
        for (at, scope) in scopes.iter().enumerate().rev() {
            // One of two values: the other stays.
            save(&clerk, scope, json!({ "head": 5 })).await.data();
            let wanted = match at {
                0 => (json!(30), Value::Null),
                at => (json!(99 + at), scopes[at - 1]["scope"].clone()),
            };
            assert_eq!(idle(&clerk, phone).await, wanted, "{scope}");
        }
        let row = phone::Entity::find_by_id(PhoneId(phone)).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(effective(app.app.db.read(), &row).await.unwrap().number(RuleField::Head), 5);
    }

    async fn of_two_who_change_the_same_the_second_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let everybody = json!({ "scope": 1 });
        let read = version(&clerk, &everybody).await;
        let first = clerk.put(RULES, sent(&everybody, &read, &json!({ "idleMinutes": 10 })));
        let second = clerk.put(RULES, sent(&everybody, &read, &json!({ "idleMinutes": 20 })));
        let (first, second) = tokio::join!(first, second);
        let mut briefs = [first.brief(), second.brief()];
        briefs.sort_unstable();
        assert_eq!(briefs, [(200, 0), (409, 4009)]);
        let late = clerk.post(&format!("{RULES}/preview"), sent(&everybody, &read, &json!({}))).await;
        assert_eq!(late.brief(), (409, 4009), "a preview of what nobody has any more is none");
        assert_eq!(version(&clerk, &everybody).await, 1);
        // Another scope is nobody else's business.
        save(&clerk, &json!({ "scope": 2, "plan": 2 }), json!({ "idleMinutes": 20 })).await.data();
    }

    async fn what_cannot_be_is_refused_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (room, _) = world(&clerk).await;
        let everybody = json!({ "scope": 1 });
        for (scope, values, wanted) in [
            (&everybody, json!({ "idleMinutes": 10_000 }), "values.idleMinutes integer.range"),
            (&everybody, json!({ "dailyHours": 0 }), "values.dailyHours integer.range"),
            (&everybody, json!({ "dailyHours": 25 }), "values.dailyHours integer.range"),
            (&everybody, json!({ "queueMax": 10_001 }), "values.queueMax integer.range"),
            (&everybody, json!({ "queueWait": 0 }), "values.queueWait integer.range"),
            (&everybody, json!({ "reconnectGrace": 31 }), "values.reconnectGrace integer.range"),
            (&everybody, json!({ "head": -1 }), "values.head integer.range"),
            (&everybody, json!({ "releaseGrace": 31 }), "values.releaseGrace integer.range"),
            (&everybody, json!({ "yearCardOffline": 4 }), "values type.wrong"),
            (&everybody, json!({ "nightClose": { "from": "22:00", "to": "22:00" } }), "values.nightClose.to phoneRule.sameTime"),
            (&everybody, json!({ "nightClose": { "from": "22", "to": "06:00" } }), "values.nightClose.from time.ofDay"),
            (&json!({ "scope": 9 }), json!({}), "scope type.wrong"),
            (&json!({ "scope": 1, "roomId": room }), json!({}), "roomId field.unknown"),
            (&json!({ "scope": 2 }), json!({}), "plan required"),
            (&json!({ "scope": 2, "plan": 9 }), json!({}), "plan type.wrong"),
            (&json!({ "scope": 4, "roomId": room }), json!({}), "plan required"),
            (&json!({ "scope": 3, "roomId": 999 }), json!({}), "roomId reference.unknown"),
            (&json!({ "scope": 4, "roomId": 999, "plan": 2 }), json!({}), "roomId reference.unknown"),
            (&json!({ "scope": 5, "phoneId": 999 }), json!({}), "phoneId reference.unknown"),
        ] {
            let body = sent(scope, &json!(0), &values);
            assert_eq!(clerk.put(RULES, body.clone()).await.errors(), [wanted], "{body}");
            assert_eq!(clerk.post(&format!("{RULES}/preview"), body.clone()).await.errors(), [wanted], "{body}");
        }
        let unknown = clerk.put(RULES, sent(&everybody, &json!(0), &json!({ "idleHours": 1 }))).await.errors();
        assert!(unknown.len() == 1 && unknown[0].ends_with("idleHours field.unknown"), "{unknown:?}");
        assert_eq!(clerk.get(&format!("{RULES}/scopes")).await.data()["total"], 0);
        assert_eq!(clerk.get(&format!("{RULES}/changes")).await.data()["total"], 0);
    }

    async fn a_question_about_nobody_is_refused_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        for (query, wanted) in [
            ("", "scope required"),
            ("scope=0", "scope type.wrong"),
            ("scope=everybody", "scope type.wrong"),
            ("scope=1&plan=2", "plan field.unknown"),
            ("scope=2&plan=5", "plan type.wrong"),
            ("scope=3&roomId=9223372036854775807", "roomId reference.unknown"),
            ("scope=3&roomId=9223372036854775808", "roomId type.wrong"),
            ("scope=4&plan=2&roomId=-9223372036854775808", "roomId reference.unknown"),
            ("scope=5&phoneId=x", "phoneId type.wrong"),
            ("scope=5&phoneId=0", "phoneId reference.unknown"),
        ] {
            let answer = clerk.get(&format!("{RULES}?{query}")).await;
            assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec![wanted.to_owned()]), "{query}");
        }
        for query in ["roomId=-9223372036854775808", "roomId=9223372036854775807", "phoneId=-1", "plan=3&roomId=0"] {
            assert_eq!(clerk.get(&format!("{RULES}/changes?{query}")).await.data()["total"], 0, "{query}");
        }
        assert_eq!(clerk.get(&format!("{PHONES}/9223372036854775807/rules")).await.brief(), (404, 4004));
    }

    async fn a_preview_counts_the_phones_for_which_something_becomes_another(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (first, user) = world(&clerk).await;
        let second = id(&clerk.post("/api/fleet/v1/rooms", json!({ "name": "广州机房", "city": "广州" })).await.data());
        let mut ids = Vec::new();
        for (room, plan, count) in [(first, 2, 4), (first, 3, 3), (first, 4, 2), (second, 2, 3), (second, 3, 1)] {
            let expires = app.app.clock.now().plus_seconds(30 * DAY);
            let new = json!({ "userId": user, "plan": plan, "roomId": room, "diskGb": 32, "expiresAt": expires, "count": count });
            let made = clerk.post(PHONES, new).await.data()["firstId"].as_i64().unwrap();
            ids.extend(made..made + count);
        }
        put_on(&app, &clerk, first, ids[0], "10.9.0.7").await;
        put_on(&app, &clerk, first, ids[1], "10.9.0.8").await;
        let everybody = json!({ "scope": 1 });
        let (vip, room) = (json!({ "scope": 2, "plan": 2 }), json!({ "scope": 3, "roomId": first }));
        let both = json!({ "scope": 4, "roomId": first, "plan": 2 });
        let [one, two] = [ids[0], ids[1]].map(|id| json!({ "scope": 5, "phoneId": id }));
        let mut reached = Vec::new();
        for (scope, values) in [
            (&everybody, json!({ "idleMinutes": 45 })),
            // As everybody has it, and as the program has it for VVIP.
            (&vip, json!({ "idleMinutes": 45 })),
            (&json!({ "scope": 3, "roomId": second }), json!({ "head": 1860 })),
            (&room, json!({ "idleMinutes": 60, "head": 1800 })),
            (&both, json!({ "idleMinutes": 45 })),
            (&one, json!({ "idleMinutes": 45 })),
            (&two, json!({ "idleMinutes": 99, "head": 7, "nightClose": { "from": "23:00", "to": "05:00" } })),
            (&both, json!({ "idleMinutes": 50, "head": 7 })),
            (&everybody, json!({ "idleMinutes": 99, "head": 7 })),
            (&room, json!({})),
            (&both, json!({ "nightClose": { "from": "23:00", "to": "05:00" } })),
            (&vip, json!({ "dailyHours": 10 })),
            (&two, json!({})),
            (&everybody, json!({})),
        ] {
            let asked = sent(scope, &version(&clerk, scope).await, &values);
            let told = clerk.post(&format!("{RULES}/preview"), asked.clone()).await.data();
            let before = held(&app).await;
            clerk.put(RULES, asked.clone()).await.data();
            let after = held(&app).await;
            let mut wanted = (0, 0);
            for phone in living(&app).await {
                let differs = |field: &&RuleField| before[&phone.id].number(**field) != after[&phone.id].number(**field);
                if RuleField::ALL.iter().any(|field| differs(&field)) {
                    wanted.0 += 1;
                    wanted.1 += i64::from(phone.use_type == UseType::On);
                }
            }
            assert_eq!((&told["phones"], &told["on"]), (&json!(wanted.0), &json!(wanted.1)), "{asked}");
            reached.push(wanted.0);
        }
        // What was asked for tells cases apart.
        assert_eq!(reached[..3], [13, 0, 3]);
        assert!(reached[3..].iter().any(|count| *count > 1), "{reached:?}");
    }

    async fn the_history_stays_when_a_room_or_a_phone_goes_and_their_values_do_not(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (room, user) = world(&clerk).await;
        let phone = make(&clerk, &app, (room, user), 1, 1).await[0];
        let empty = id(&clerk.post("/api/fleet/v1/rooms", json!({ "name": "临时机房", "city": "杭州" })).await.data());
        let scopes = [
            json!({ "scope": 3, "roomId": empty }),
            json!({ "scope": 4, "roomId": empty, "plan": 3 }),
            json!({ "scope": 5, "phoneId": phone }),
            json!({ "scope": 1 }),
        ];
        for scope in &scopes {
            save(&clerk, scope, json!({ "idleMinutes": 5, "releaseGrace": 1 })).await.data();
        }
        save(&clerk, &scopes[0], json!({ "idleMinutes": 6 })).await.data();
        let total = async |clerk: &Caller<'_>, list: &str| clerk.get(&format!("{RULES}/{list}")).await.data()["total"].clone();
        assert_eq!((total(&clerk, "scopes").await, total(&clerk, "changes").await), (json!(4), json!(10)));
        assert_eq!(total(&clerk, "scopes?field=10").await, 3);
        let found = [
            format!("changes?roomId={empty}"), format!("changes?phoneId={phone}"), "changes?plan=3".to_owned(),
            "changes?scope=3&field=1".to_owned(), "changes?field=10".to_owned(),
        ];
        let mut counts = Vec::new();
        for list in &found {
            counts.push(total(&clerk, list).await);
        }
        assert_eq!(counts, [json!(6), json!(2), json!(2), json!(2), json!(5)]);
        let newest = clerk.get(&format!("{RULES}/changes?scope=3&field=10")).await.data()["list"][0].clone();
        assert_eq!((&newest["before"], &newest["after"], &newest["by"], &newest["name"]),
            (&json!("1 天"), &json!(""), &json!("clerk"), &json!("临时机房")));

        clerk.delete(&format!("/api/fleet/v1/rooms/{empty}"), json!({})).await.data();
        assert_eq!((total(&clerk, "scopes").await, total(&clerk, "changes").await), (json!(2), json!(10)));
        let gone = clerk.get(&format!("{RULES}/changes?scope=3")).await.data()["list"][0].clone();
        assert_eq!((&gone["name"], &gone["room"]["name"]), (&json!(format!("#{empty}")), &Value::Null));

        clerk.post(&format!("{PHONES}/release"), json!({ "selection": { "ids": [phone] }, "reason": "退订" })).await.data();
        let own = async || {
            let rows = rule_value::Entity::find().filter(rule_value::Column::Id.eq(phone));
            rows.filter(rule_value::Column::Scope.eq(rule_value::RuleScope::Phone)).count(app.app.db.read()).await.unwrap()
        };
        assert_eq!(own().await, 2, "it can be had back");
        app.app.clock.advance_seconds(8 * DAY);
        assert_eq!(pass(&app.app).await.unwrap().erased, 1);
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        assert_eq!((own().await, total(&clerk, "changes").await), (0, json!(10)));
        // Nor can it be given any once nothing of it remains.
        let late = clerk.put(RULES, sent(&scopes[2], &json!(1), &json!({ "idleMinutes": 5 }))).await;
        assert_eq!(late.errors(), ["phoneId reference.unknown"]);
    }

    async fn an_expired_phone_is_kept_for_as_long_as_its_own_rules_say(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 1, 3).await;
        save(&clerk, &json!({ "scope": 4, "roomId": room, "plan": 2 }), json!({ "releaseGrace": 3 })).await.data();
        save(&clerk, &json!({ "scope": 5, "phoneId": ids[1] }), json!({ "releaseGrace": 1 })).await.data();
        save(&clerk, &json!({ "scope": 5, "phoneId": ids[2] }), json!({ "releaseGrace": 30 })).await.data();
        save(&clerk, &json!({ "scope": 1 }), json!({ "releaseGrace": 30 })).await.data();
        let lives = async |days: i64| {
            app.app.clock.advance_seconds(days * DAY);
            pass(&app.app).await.unwrap();
            living(&app).await.iter().map(|phone| phone.life).collect::<Vec<_>>()
        };
        assert_eq!(lives(1).await, [Life::Expired; 3]);
        assert_eq!(lives(1).await, [Life::Expired, Life::Released, Life::Expired]);
        assert_eq!(lives(1).await, [Life::Expired, Life::Released, Life::Expired]);
        assert_eq!(lives(1).await, [Life::Released, Life::Released, Life::Expired]);
        assert_eq!(lives(2).await, [Life::Released, Life::Released, Life::Expired]);
    }

    async fn rules_are_seen_and_changed_with_the_rights_for_it(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (room, user) = world(&admin).await;
        let phone = make(&admin, &app, (room, user), 30, 1).await[0];
        let (reader, stranger) = (app.operator("reader", &["phoneRule:get"]).await, app.operator("stranger", &["phone:get"]).await);
        let everybody = json!({ "scope": 1 });
        let change = sent(&everybody, &json!(0), &json!({ "idleMinutes": 9 }));
        for path in [asked(&everybody), format!("{PHONES}/{phone}/rules"), format!("{RULES}/scopes"), format!("{RULES}/changes")] {
            reader.get(&path).await.data();
            assert_eq!(stranger.get(&path).await.brief(), (200, 4003), "{path}");
        }
        let told = reader.post(&format!("{RULES}/preview"), change.clone()).await.data();
        assert_eq!(told, json!({ "leave": 0, "inUse": 0, "guaranteed": 0, "phones": 1, "on": 0 }));
        assert_eq!(reader.put(RULES, change).await.brief(), (200, 4003));
        assert_eq!(version(&reader, &everybody).await, 0);
        assert!(rule_value::Entity::find().one(app.app.db.read()).await.unwrap().is_none());
    }
}
