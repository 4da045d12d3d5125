//! Apps that write while they run: what, whose it is, when they do not, and how much it is at most.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sim::{Apk, Card};
use tokio::time::sleep;

use crate::support::{room, said, told};
use crate::unreadable::post;

const NAME: &str = "com.example.game";
const HOME: &str = "/data/data/com.example.game";
const OUTSIDE: &str = "/data/media/0/Android";

/// Inode, rights, owner, group and content, by the path.
type Things = BTreeMap<String, (u64, u32, u32, u32, Vec<u8>)>;

/// What the app has on a card.
fn things(card: &Card) -> Things {
    let (mut found, mut left) = (Things::new(), vec![HOME.to_owned(), OUTSIDE.to_owned()]);
    let state = card.state();
    while let Some(folder) = left.pop() {
        for (name, inode) in state.files.children(&folder) {
            let (path, meta) = (format!("{folder}/{name}"), inode.meta());
            let content = if inode.is_folder() { Vec::new() } else { inode.read(0, 1 << 20).unwrap().to_vec() };
            if inode.is_folder() {
                left.push(path.clone());
            }
            found.insert(path, (inode.number, inode.mode(), meta.uid, meta.gid, content));
        }
    }
    found
}

fn install(card: &Card, name: &str) {
    card.install(&[("base.apk", &*Apk::new(name, 1).file(2_000))]).unwrap();
}

fn turns(card: &Card, name: &str) -> u64 {
    card.written().into_iter().find(|app| app.0 == name && app.1 == 0).map_or(0, |app| app.2)
}

/// Waits until the app has written once more.
async fn grows(card: &Card) {
    let (before, began) = (turns(card, NAME), Instant::now());
    while turns(card, NAME) <= before {
        assert!(began.elapsed() < Duration::from_secs(20), "it writes nothing");
        sleep(Duration::from_millis(10)).await;
    }
}

/// Whoever looks now and a while later finds the same.
async fn rests(card: &Card, why: &str) {
    let before = things(card);
    sleep(Duration::from_millis(150)).await;
    assert!(things(card) == before, "it writes: {why}");
}

#[tokio::test]
async fn a_card_writes_the_same_twice_and_another_one_something_else() {
    let mut all = Vec::new();
    for index in [0, 0, 1] {
        let room = room(2, "").await;
        let card = &room.cards[index];
        install(card, NAME);
        assert_eq!(card.write_now(150), 1);
        all.push(things(card));
    }
    assert!(all[0] == all[1]);
    let log = format!("{HOME}/files/journal.log");
    assert_ne!(all[0][&log].4, all[2][&log].4);
    let names: Vec<&str> = all[0].keys().filter_map(|path| path.rsplit('/').next()).collect();
    let count = |begins: &str| names.iter().filter(|name| name.starts_with(begins)).count();
    assert_eq!((count("net-"), count("shot-"), count("main.db")), (6, 4, 1), "{names:?}");
}

#[tokio::test]
async fn what_does_not_run_writes_nothing() {
    let room = room(1, "").await;
    let card = &room.cards[0];
    let host = crate::support::card(&room, 0).await;
    install(card, NAME);
    rests(card, "nobody has asked for it").await;
    card.let_apps_write(Some(Duration::from_millis(24)));
    grows(card).await;
    for (halt, go) in [
        ("stop", "start"),
        ("am force-stop com.example.game", "am start -n com.example.game/.Main"),
        ("am force-stop --user 0 com.example.game", "am start -p com.example.game"),
        ("pm suspend com.example.game", "pm unsuspend com.example.game"),
    ] {
        said(&host, halt).await;
        rests(card, halt).await;
        assert!(halt == "stop" || card.write_now(3) == 0, "{halt}");
        said(&host, go).await;
        grows(card).await;
    }
    said(&host, "stop").await;
    assert_eq!(card.write_now(3), 0, "not even if it is asked for");
    said(&host, "start").await;

    card.power(false);
    rests(card, "it is off").await;
    let before = things(card);
    card.power(true);
    loop {
        let now = things(card);
        if card.has_framework() {
            break;
        }
        assert!(now == before, "it has not booted");
        sleep(Duration::from_millis(5)).await;
    }
    grows(card).await;

    card.set_credential(0, Some("1234"));
    card.restart();
    while !card.has_framework() {
        sleep(Duration::from_millis(10)).await;
    }
    rests(card, "its owner is locked").await;
    assert!(card.unlock_user(0));
    grows(card).await;

    card.clear();
    assert!(things(card).is_empty() && card.written().is_empty());
}

#[tokio::test]
async fn stopped_and_suspended_apps_are_told_of() {
    let room = room(1, "").await;
    let host = crate::support::card(&room, 0).await;
    install(&room.cards[0], NAME);
    let states = async || {
        let dumped = said(&host, &format!("dumpsys package {NAME}")).await;
        let line = dumped.lines().find(|line| line.starts_with("    User 0:")).unwrap().to_owned();
        (line.contains(" suspended=true "), line.contains(" stopped=true "))
    };
    assert_eq!(states().await, (false, false));
    said(&host, &format!("am force-stop {NAME}")).await;
    let suspended = said(&host, &format!("pm suspend {NAME}")).await;
    assert_eq!(suspended, format!("Package {NAME} new suspended state: true\n"));
    assert_eq!(states().await, (true, true));
    let unknown = told(&host, "pm suspend com.nobody").await;
    let thrown = "java.lang.IllegalArgumentException: Unknown target package: com.nobody\n";
    assert_eq!(unknown, (thrown.into(), String::new(), 1));
    assert_eq!(told(&host, "pm suspend").await.2, 1);
    // Another version changes nothing of that, a removal does.
    install(&room.cards[0], NAME);
    assert_eq!(states().await, (true, true));
    said(&host, &format!("pm uninstall {NAME}")).await;
    install(&room.cards[0], NAME);
    assert_eq!(states().await, (false, false));
}

#[tokio::test]
async fn what_is_written_is_the_apps_and_has_its_label() {
    let room = room(1, "").await;
    let card = &room.cards[0];
    let host = crate::support::card(&room, 0).await;
    install(card, NAME);
    let uid = card.state().packages[NAME].uid;
    card.write_now(1);
    let own = |mode: &str| format!("{mode} {uid} {uid}\n");
    let outside = |mode: &str| format!("{mode} {uid} 1078\n");
    for (folder, names, wanted) in [
        (HOME, "files databases shared_prefs", own("771").repeat(3)),
        (HOME, "files/journal.log databases/main.db-journal", own("600").repeat(2)),
        (HOME, "shared_prefs/*", own("660")),
        (HOME, "cache/net-*", format!("600 {uid} {}\n", uid + 10_000)),
        (OUTSIDE, ". data", "2771 1023 1023\n2771 1023 1078\n".to_owned()),
        (OUTSIDE, "data/* data/*/files", outside("2770").repeat(2)),
        (OUTSIDE, "data/*/files/shot-*", outside("660")),
    ] {
        let told = said(&host, &format!("cd {folder} && stat -c '%a %u %g' {names}")).await;
        assert_eq!(told, wanted, "{folder}: {names}");
    }
    // Nothing has to be mended.
    said(&host, &format!("restorecon -Rnv {HOME} /data/media/0")).await;
    let labels = said(&host, &format!("stat -c %C {HOME} {HOME}/files/journal.log {HOME}/shared_prefs/*")).await;
    let labels: Vec<&str> = labels.lines().collect();
    assert!(labels.len() == 3 && labels[0].contains(":app_data_file:s0:c"), "{labels:?}");
    assert!(labels[1] == labels[0] && labels[2] == labels[0], "{labels:?}");
    let times = said(&host, &format!("cd {HOME}; stat -c '%Y %Z' files files/journal.log")).await;
    for line in times.lines() {
        let (modified, changed) = line.split_once(' ').unwrap();
        assert_eq!(modified, changed, "{times}");
    }
}

#[tokio::test]
async fn nobody_sets_the_time_of_change() {
    let room = room(1, "").await;
    let host = crate::support::card(&room, 0).await;
    let begin = said(&host, "date +%s").await.trim().parse::<i64>().unwrap();
    let line = "cd /data/local/tmp; echo x >f; touch -d @1500000000 f; stat -c '%Y %Z' f; stat -c %Z /data/app";
    let told = said(&host, line).await;
    let numbers: Vec<i64> = told.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(numbers[0] == 1_500_000_000 && numbers[1] >= begin && numbers[2] < begin, "{told}");
    for (line, changes) in [("cat f", false), ("chmod 640 f", true), ("ln f g", true), ("mv f h", true)] {
        let file = room.cards[0].open("/data/local/tmp/f").unwrap();
        let before = file.changed();
        sleep(Duration::from_millis(5)).await;
        said(&host, &format!("cd /data/local/tmp; {line}")).await;
        assert_eq!((file.changed() > before, file.meta().modified.seconds), (changes, 1_500_000_000), "{line}");
    }
}

#[tokio::test]
async fn whoever_reads_meanwhile_reads_what_linux_gives() {
    let room = room(1, "").await;
    let card = &room.cards[0];
    install(card, NAME);
    card.write_now(2);
    let (prefs, log) = (format!("{HOME}/shared_prefs/{NAME}_preferences.xml"), format!("{HOME}/files/journal.log"));
    let open = |path: &str| card.open(path).unwrap();
    let whole = |path: &str| open(path).read(0, 1 << 20).unwrap();
    let (opened, growing, database) = (open(&prefs), open(&log), open(&format!("{HOME}/databases/main.db")));
    let (saved, first) = (whole(&prefs), growing.read(0, 50).unwrap());
    card.write_now(3);
    assert_eq!(opened.read(0, 1 << 20).unwrap(), saved, "it has no name any more, and is whole");
    let now = open(&prefs);
    assert!(opened.names() == 0 && now.number != opened.number, "another one has taken its place");
    let text = whole(&prefs);
    assert!(text != saved && text.starts_with(b"<?xml") && text.ends_with(b"</map>\n"));
    assert!(card.find(&format!("{prefs}.new"), false).is_err());
    // A journal only grows, and what was read of it stays true.
    let rest = growing.read(50, 1 << 20).unwrap();
    assert_eq!(whole(&log), [&first[..], &rest[..]].concat());
    assert_eq!(open(&log).number, growing.number);
    // The database is the same file, some of whose pages are others.
    card.write_now(200);
    let found = open(&format!("{HOME}/databases/main.db"));
    assert!(found.number == database.number && found.size().is_multiple_of(4096) && found.size() > 8192);
    assert!(found.read(0, 16).unwrap().starts_with(b"SQLite format 3\0"));
}

#[tokio::test]
async fn three_weeks_of_it_are_half_a_megabyte_an_app() {
    let room = room(1, "").await;
    let card = &room.cards[0];
    install(card, NAME);
    let free = card.free();
    // A turn a minute.
    card.write_now(3 * 7 * 24 * 60);
    let all = things(card);
    let sizes: Vec<usize> = all.values().map(|thing| thing.4.len()).collect();
    assert!(sizes.iter().all(|size| *size <= 64 * 1024), "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() < 512 * 1024 && all.len() < 30, "{sizes:?}");
    assert!(all.contains_key(&format!("{HOME}/files/journal.1.log")), "it was put aside");
    assert!(free - card.free() < 1 << 20);
}

#[tokio::test]
async fn the_app_that_is_used_writes_more_and_who_finds_none_installs_some() {
    let room = room(2, "").await;
    let (card, bare) = (&room.cards[0], &room.cards[1]);
    for name in [NAME, "com.example.other"] {
        install(card, name);
    }
    card.let_apps_write(Some(Duration::from_millis(240)));
    card.set_used(true);
    let used = card.used_app().unwrap();
    let began = Instant::now();
    let told = loop {
        let told: BTreeMap<String, u64> = card.written().into_iter().map(|(name, _, turns)| (name, turns)).collect();
        if told.len() == 2 && told.iter().all(|(name, turns)| *name == used || *turns >= 3) {
            break told;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{told:?}");
        sleep(Duration::from_millis(20)).await;
    };
    assert!(told[&used] >= 30, "{told:?}");
    card.restart();
    assert_eq!(card.used_app(), None);

    bare.set_used(true);
    assert!(bare.state().packages.is_empty(), "apps do not write there");
    bare.let_apps_write(Some(Duration::from_hours(1)));
    bare.set_used(true);
    let used = bare.used_app().unwrap();
    let names: Vec<String> = bare.state().packages.keys().map(ToString::to_string).collect();
    assert!(names.len() == 2 && names.contains(&used), "{names:?}");
    assert_eq!(bare.write_now(1), 2);
}

#[tokio::test]
async fn the_switchboard_lets_apps_write_and_tells_who_uses_a_card() {
    let room = room(1, "").await;
    let card = &room.cards[0];
    assert_eq!(post(&room, "/writes", r#"{"ms":3600000}"#).await.0, 200);
    let (status, body) = post(&room, "/used", r#"{"address":"127.0.0.1","used":true}"#).await;
    assert!(status == 200 && card.used_app().is_some_and(|app| body.contains(&app)), "{body}");
    let (status, body) = post(&room, "/cards/0/writes", r#"{"times":3}"#).await;
    assert!(status == 200 && body.contains(r#""apps":2"#) && body.contains(",0,3]"), "{body}");
    assert_eq!(post(&room, "/cards/0/writes", r#"{"times":100001}"#).await.0, 400);
    let (status, body) = post(&room, "/cards/0/used", r#"{"used":false}"#).await;
    assert_eq!((status, body.as_str(), card.used_app()), (200, r#"{"used":null}"#, None));
    assert_eq!(post(&room, "/used", r#"{"address":"127.0.0.2","used":true}"#).await.0, 404);
    let room = crate::support::room(2, "").await;
    assert_eq!(post(&room, "/used", r#"{"address":"127.0.0.1","used":true}"#).await.0, 404, "two have it");
}
