//! Permissions of packages, and installations by sessions of several files.

use adb::{Card, Command, InstallFailure, install_verdict, session_created, session_written};
use sim::{Apk, Fault};

use crate::support::{all, card, install, restarted, room, said, told};

const NAME: &str = "com.example.game";
const ASKED: &[&str] = &[
    "android.permission.INTERNET",
    "android.permission.CAMERA",
    "android.permission.READ_EXTERNAL_STORAGE",
    "android.permission.READ_LOGS",
    "com.example.OWN",
];

fn game() -> Apk {
    Apk::new(NAME, 1).asking(ASKED)
}

/// The lines of `dumpsys package` from what is asked for on.
async fn permissions(card: &Card) -> String {
    let text = said(card, &format!("dumpsys package {NAME}")).await;
    let at = text.find("    requested permissions:\n").unwrap();
    let kept = text[at..].lines().filter(|line| !line.starts_with("    User "));
    kept.collect::<Vec<_>>().join("\n")
}

/// What they are where a camera and the files are granted or not.
fn expected(logs: &str, camera: bool, files: bool) -> String {
    format!(
        "    requested permissions:
      android.permission.INTERNET
      android.permission.CAMERA
      android.permission.READ_EXTERNAL_STORAGE
      android.permission.READ_LOGS
      com.example.OWN
    install permissions:
      android.permission.INTERNET: granted=true
{logs}      runtime permissions:
        android.permission.CAMERA: granted={camera}, flags=[ USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED]
        android.permission.READ_EXTERNAL_STORAGE: granted={files}, \
flags=[ USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED|RESTRICTION_INSTALLER_EXEMPT]"
    )
}

const LOGS: &str = "      android.permission.READ_LOGS: granted=true\n";

/// Feeds a file into a session; what is said of it.
async fn write(card: &Card, id: u32, name: &str, file: &[u8]) -> String {
    let size = file.len() as u64;
    let command = Command::new("pm").args(["install-write", "-S"]).arg(size).arg(id).arg(name).arg("-");
    let silence = std::time::Duration::from_secs(20);
    card.feeding(&command, &mut &*file, size, silence).await.unwrap().both()
}

async fn create(card: &Card, flags: &str) -> u32 {
    session_created(&said(card, &format!("pm install-create {flags}")).await).unwrap()
}

#[tokio::test]
async fn what_is_asked_for_is_granted_and_taken_back() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    room.cards[0].install(&[("base.apk", &*game().file(1000))]).unwrap();
    assert_eq!(permissions(&card).await, expected("", false, false));
    said(&card, &format!("pm grant {NAME} android.permission.CAMERA")).await;
    said(&card, &format!("pm grant --user 0 {NAME} android.permission.READ_LOGS")).await;
    assert_eq!(permissions(&card).await, expected(LOGS, true, false));
    // An update keeps them, and a restart does.
    room.cards[0].install(&[("base.apk", &*Apk { version: 2, ..game() }.file(1000))]).unwrap();
    let card = restarted(&room).await;
    assert_eq!(permissions(&card).await, expected(LOGS, true, false));
    said(&card, &format!("pm revoke {NAME} android.permission.CAMERA")).await;
    assert_eq!(permissions(&card).await, expected(LOGS, false, false));
    assert!(room.cards[0].state().packages[NAME].permissions.is_granted(0, "android.permission.READ_LOGS"));
    said(&card, &format!("pm clear {NAME}")).await;
    assert_eq!(permissions(&card).await, expected("", false, false));
    // Everything at once, and nothing again once it is installed anew.
    let id = create(&card, "-r -g").await;
    write(&card, id, "base.apk", &game().file(1000)).await;
    assert_eq!(
        told(&card, &format!("pm install-commit {id}")).await.0,
        "Failure [INSTALL_FAILED_VERSION_DOWNGRADE: \
Downgrade detected]\n"
    );
    said(&card, &format!("pm uninstall {NAME}")).await;
    let id = create(&card, "-r -g").await;
    write(&card, id, "base.apk", &game().file(1000)).await;
    said(&card, &format!("pm install-commit {id}")).await;
    assert_eq!(permissions(&card).await, expected(LOGS, true, true));
    said(&card, &format!("pm uninstall {NAME}")).await;
    room.cards[0].install(&[("base.apk", &*game().file(1000))]).unwrap();
    assert_eq!(permissions(&card).await, expected("", false, false));
}

#[tokio::test]
async fn what_cannot_be_granted_is_said_as_android_says_it() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    room.cards[0].install(&[("base.apk", &*game().file(1000))]).unwrap();
    for (act, permission, thrown) in [
        (
            "grant",
            "android.permission.NONSENSE",
            "IllegalArgumentException: Unknown permission: android.permission.NONSENSE",
        ),
        ("revoke", "com.example.OWN", "IllegalArgumentException: Unknown permission: com.example.OWN"),
        ("grant", "CAMERA", "IllegalArgumentException: Unknown permission: CAMERA"),
        (
            "grant",
            "android.permission.RECORD_AUDIO",
            "SecurityException: Package com.example.game has not requested permission android.permission.RECORD_AUDIO",
        ),
        (
            "revoke",
            "android.permission.INTERNET",
            "SecurityException: Permission android.permission.INTERNET requested by com.example.game is not a \
changeable permission type",
        ),
    ] {
        let (out, err, exit) = told(&card, &format!("pm {act} {NAME} {permission}")).await;
        assert_eq!((out.as_str(), exit), ("", 255), "{permission}");
        let begins = format!("\nException occurred while executing '{act}':\njava.lang.{thrown}\n\tat com.android");
        assert!(err.starts_with(&begins), "{err}");
    }
    let lines = [
        ("pm grant", "", "Error: no package specified\n", 1),
        ("pm grant com.example.game", "", "Error: no permission specified\n", 1),
        // Only Android's own log tells of these.
        ("pm grant com.example.other android.permission.CAMERA", "", "", 0),
        ("pm grant --user 77 com.example.game android.permission.CAMERA", "", "", 0),
    ];
    all(&card, &lines).await;
    assert_eq!(permissions(&card).await, expected("", false, false));
}

#[tokio::test]
async fn a_session_takes_a_base_and_its_splits_in_any_order() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    let (base, split) = (game().file(90_000), Apk::new(NAME, 1).file(70_000));
    let id = create(&card, "-S 160000 -g").await;
    assert_eq!(session_written(&write(&card, id, "split_config.zh.apk", &split).await, 70_000), Ok(()));
    // What comes twice takes the place of what came before.
    assert_eq!(session_written(&write(&card, id, "base.apk", &split).await, 70_000), Ok(()));
    assert_eq!(session_written(&write(&card, id, "base.apk", &base).await, 90_000), Ok(()));
    assert_eq!(said(&card, &format!("pm install-commit {id}")).await, "Success\n");
    let folder = "/data/app/com.example.game";
    let paths = format!("package:{folder}/base.apk\npackage:{folder}/split_config.zh.apk\n");
    said(&card, &format!("mkdir {folder}/oat")).await;
    assert_eq!(said(&card, &format!("pm path {NAME}")).await, paths);
    assert_eq!(said(&card, &format!("stat -c %s {folder}/base.apk")).await, "90000\n");
    assert_eq!(permissions(&card).await, expected(LOGS, true, true));

    // The same by the card itself, as tests want it.
    room.cards[0].install(&[("base.apk", &*base), ("split_config.en.apk", &*split)]).unwrap();
    let there = said(&card, &format!("pm path {NAME} | grep -c split_config.en")).await;
    assert_eq!(there, "1\n");
    for (other, why) in [
        (Apk::new("com.example.other", 1), "package com.example.other inconsistent with com.example.game"),
        (Apk::new(NAME, 2), "version code 2 inconsistent with 1"),
        (Apk { signer: "b".into(), ..Apk::new(NAME, 1) }, "signatures are inconsistent"),
    ] {
        let refused = room.cards[0].install(&[("base.apk", &*base), ("split_x.apk", &*other.file(10))]).unwrap_err();
        assert!(refused.starts_with("INSTALL_FAILED_INVALID_APK: ") && refused.ends_with(why), "{refused}");
    }
}

#[tokio::test]
async fn what_a_session_refuses_is_said_as_android_says_it() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    let thrown = |act: &str, thrown: &str| {
        format!(
            "\nException occurred while executing '{act}':\n{thrown}\n\tat \
com.android.server.pm.PackageManagerShellCommand.onCommand(PackageManagerShellCommand.java)\n"
        )
    };
    let gone = "java.lang.SecurityException: Caller has no access to session 7";
    for (act, line) in [
        ("install-write", "pm install-write -S 2 7 base.apk - </dev/null"),
        ("install-commit", "pm install-commit 7"),
        ("install-abandon", "pm install-abandon 7"),
    ] {
        assert_eq!(told(&card, line).await, (String::new(), thrown(act, gone), 255), "{line}");
    }
    let id = create(&card, "").await;
    let name = told(&card, &format!("pm install-write -S 2 {id} a/b.apk - </dev/null")).await;
    let words = "java.lang.IllegalArgumentException: Invalid name: a/b.apk";
    assert_eq!(name, (String::new(), thrown("install-write", words), 255));
    let write = format!("pm install-write {id} base.apk -");
    assert_eq!(told(&card, &write).await, (String::new(), "Error: must specify a APK size\n".into(), 1));
    let short = told(&card, &format!("echo x | pm install-write -S 9 {id} base.apk -")).await;
    assert_eq!(short.1, "Error: failed to write; 2 of 9 bytes came\n");
    let empty = told(&card, &format!("pm install-commit {id}")).await;
    assert_eq!(empty.0, "Failure [INSTALL_FAILED_INVALID_APK: No packages staged]\n");
    assert_eq!(told(&card, &format!("pm install-commit {id}")).await.2, 255, "it has ended with its refusal");
    let id = create(&card, "").await;
    assert_eq!(said(&card, &format!("pm install-abandon {id}")).await, "Success\n");
    assert_eq!(told(&card, &format!("pm install-abandon {id}")).await.2, 255);
}

#[tokio::test]
async fn a_full_card_says_so_wherever_it_is_noticed() {
    let room = room(1, "").await;
    let (card, file) = (card(&room, 0).await, game().file(50_000));
    let id = create(&card, "").await;
    let committed = create(&card, "").await;
    write(&card, committed, "base.apk", &file).await;
    let used = room.cards[0].used();
    room.cards[0].faults.set(Fault::NoSpace, true);
    let full = InstallFailure::InsufficientStorage;
    let said_of = |(out, err, exit): (String, String, u8)| {
        assert_eq!(exit, 1);
        install_verdict(&format!("{out}{err}")).unwrap_err()
    };
    let created = said_of(told(&card, "pm install-create -S 50000").await);
    assert_eq!((created.code.as_str(), &created.failure), ("INSTALL_FAILED_INSUFFICIENT_STORAGE", &full));
    let written = session_written(&write(&card, id, "base.apk", &file).await, 50_000).unwrap_err();
    assert_eq!((written.code.as_str(), &written.failure), ("", &full));
    assert_eq!(written.words, "Error: failed to write; write failed: ENOSPC (No space left on device)");
    let installed = said_of(told(&card, &format!("pm install-commit {committed}")).await);
    assert_eq!(installed.failure, full);
    room.cards[0].faults.set(Fault::NoSpace, false);
    // What was refused takes no space and leaves no package, and the open session goes on.
    assert!(room.cards[0].used() < used);
    assert_eq!(said(&card, "pm list packages -3").await, "");
    write(&card, id, "base.apk", &file).await;
    assert_eq!(said(&card, &format!("pm install-commit {id}")).await, "Success\n");
}

#[tokio::test]
async fn operations_that_were_set_are_gone_with_the_framework_unless_they_were_written() {
    const SET: &str = "cmd appops set --user 0";
    let room = room(1, "").await;
    let first = card(&room, 0).await;
    install(&first, NAME).await;
    let get = format!("cmd appops get --user 0 {NAME}");
    said(&first, &format!("{SET} {NAME} CAMERA ignore; {SET} --uid {NAME} READ_SMS deny")).await;
    assert_eq!(said(&first, &get).await, "Uid mode: READ_SMS: deny\nCAMERA: ignore; time=+1m2s ago\n");
    let second = restarted(&room).await;
    assert_eq!(said(&second, &get).await, "No operations.\n");
    said(&second, &format!("{SET} {NAME} CAMERA ignore")).await;
    assert_eq!(said(&second, "appops write-settings").await, "Current settings written.\n");
    let third = restarted(&room).await;
    assert_eq!(said(&third, &get).await, "CAMERA: ignore; time=+1m2s ago\n");
    assert_eq!(told(&third, "cmd appops get com.nobody").await.2, 1);
}

#[tokio::test]
async fn an_open_session_outlasts_a_restart_and_no_reset() {
    let room = room(1, "").await;
    let first = card(&room, 0).await;
    let file = game().file(50_000);
    let (id, other) = (create(&first, "-g").await, create(&first, "").await);
    write(&first, id, "base.apk", &file).await;
    let card = restarted(&room).await;
    write(&card, id, "split_config.zh.apk", &Apk::new(NAME, 1).file(10)).await;
    assert_eq!(said(&card, &format!("pm install-commit {id}")).await, "Success\n");
    assert_eq!(said(&card, &format!("pm path {NAME} | wc -l")).await, "2\n");
    room.cards[0].wipe();
    let card = crate::support::card(&room, 0).await;
    let gone = told(&card, &format!("pm install-abandon {other}")).await;
    assert!(gone.1.contains(&format!("Caller has no access to session {other}")), "{gone:?}");
}
