//! A user whose screen is locked after a restart: what his key protects cannot be read until somebody opens it.

use adb::{Card, Device as _, DevicePath};

use crate::support::{all, card, install, restarted, room, said, told};
use crate::unreadable::post;

const SAVE: &str = "/data/data/com.example.game/files/save";

/// A card with an app's data and a photo, its screen locked with 1234, after a restart.
async fn locked(room: &sim::Room) -> Card {
    let card = card(room, 0).await;
    install(&card, "com.example.game").await;
    said(&card, &format!("mkdir /data/data/com.example.game/files; echo saved >{SAVE}; ln -s save {SAVE}.link")).await;
    said(&card, "echo open >/data/user_de/0/com.example.game/open; echo photo >/data/media/0/Download/photo").await;
    assert_eq!(said(&card, "locksettings set-pin 1234").await, "Pin set to '1234'\n");
    assert_eq!(
        said(&card, &format!("cat {SAVE}; getprop sys.user.0.ce_available")).await,
        "saved\ntrue\n",
        "until it restarts"
    );
    restarted(room).await
}

#[tokio::test]
async fn after_a_restart_the_storage_of_a_locked_user_is_encrypted() {
    let room = room(1, "").await;
    let card = locked(&room).await;
    let dumped = said(&card, "dumpsys user").await;
    assert!(dumped.contains("UserInfo{0:Owner:13} serialNo=0\n    State: RUNNING_LOCKED\n"), "{dumped}");
    assert!(
        dumped.contains("    Unlock time: <unknown>\n") && dumped.contains("Started users state: {0=1}\n"),
        "{dumped}"
    );
    all(
        &card,
        &[
            (
                "getprop sys.user.0.ce_available; getprop ro.crypto.state; getprop ro.crypto.type",
                "\nencrypted\nfile\n",
                "",
                0,
            ),
            ("am get-started-user-state 0", "RUNNING_LOCKED\n", "", 0),
            (&format!("cat {SAVE}"), "", &format!("cat: {SAVE}: No such file or directory\n"), 1),
            ("ls /sdcard/", "", "ls: /sdcard/: No such file or directory\n", 1),
            ("cat /data/user_de/0/com.example.game/open; ls /data/app", "open\ncom.example.game\n", "", 0),
            ("mkdir /data/data/new", "", "mkdir: '/data/data/new': Required key not available\n", 1),
            (
                "echo x >/data/media/0/new",
                "",
                "/system/bin/sh: can't create /data/media/0/new: Required key not available\n",
                1,
            ),
        ],
    )
    .await;
    let found = said(&card, "find /data/data /data/media/0").await;
    let names: Vec<&str> = found.lines().collect();
    assert_eq!((names[0], names.len()), ("/data/data", 10), "{found}");
    for word in ["com.example", "files", "save", "Download", "photo", "cache"] {
        assert!(!found.contains(word), "{word}: {found}");
    }
    assert_eq!(said(&card, "find /data/data /data/media/0").await, found, "always the same");
    let file = said(&card, "find /data/media/0 -type f").await;
    let file = file.trim();
    let refused = format!("cat: {file}: Required key not available\n");
    all(&card, &[(&format!("cat {file}"), "", &refused, 1), (&format!("stat -c '%s %U' {file}"), "6 root\n", "", 0)])
        .await;
    assert_eq!(said(&card, &format!("realpath {file}")).await.trim(), file);
    let link = said(&card, "readlink $(find /data/data -type l)").await;
    assert!(link.trim().len() == 22 && !link.contains("save"), "{link}");
    // As the kernel has it: a name can be taken away without the key, and not changed.
    let line = "f=$(find /data/media/0 -type f); mv $f $f.new; rm $f; find /data/media/0 -type f";
    let (out, err, _) = told(&card, line).await;
    assert!(out.is_empty() && err.starts_with("mv: ") && err.ends_with("Required key not available\n"), "{out}{err}");
    let packed = told(&card, "tar -cf - /data/data | tar -t | wc -l").await;
    assert!(packed.1.contains("Required key not available\n") && packed.1.ends_with("tar: had errors\n"), "{packed:?}");
    let folder = DevicePath::new("/data/data").unwrap();
    let listed = card.list(&folder, 100).await.unwrap().unwrap();
    assert!(listed.entries.len() == 1 && !listed.entries[0].name.starts_with("com."), "the file service sees the same");
}

#[tokio::test]
async fn who_knows_the_pin_opens_it() {
    let room = room(1, "").await;
    let card = locked(&room).await;
    all(
        &card,
        &[
            ("locksettings verify", "Old password '' didn't match\n", "", 255),
            ("locksettings clear --old 4321", "Old password '4321' didn't match\n", "", 255),
            ("am unlock-user 0 ! !", "", "Error: could not unlock user\n", 0),
            ("locksettings verify --old 1234", "Lock credential verified successfully\n", "", 0),
            (&format!("cat {SAVE} {SAVE}.link /sdcard/Download/photo"), "saved\nsaved\nphoto\n", "", 0),
            ("getprop sys.user.0.ce_available; am get-started-user-state 0", "true\nRUNNING_UNLOCKED\n", "", 0),
        ],
    )
    .await;
    let card = restarted(&room).await;
    all(
        &card,
        &[
            ("am get-started-user-state 0", "RUNNING_LOCKED\n", "", 0),
            ("cmd lock_settings clear --old 1234", "Lock credential cleared\n", "", 0),
            (&format!("cat {SAVE}"), "saved\n", "", 0),
            ("locksettings verify", "Lock credential verified successfully\n", "", 0),
            ("locksettings clear --old 1234", "Old password provided but user has no password\n", "", 255),
            (
                "locksettings set-pin 12",
                "New credential doesn't satisfy admin policies: Password too short; required: 4\n",
                "",
                255,
            ),
        ],
    )
    .await;
    let card = restarted(&room).await;
    assert_eq!(said(&card, &format!("cat {SAVE}; getprop sys.user.0.ce_available")).await, "saved\ntrue\n");
}

#[tokio::test]
async fn a_card_with_the_fault_is_locked_from_its_next_start_on() {
    let room = room(1, "locked").await;
    let first = card(&room, 0).await;
    assert_eq!(said(&first, "am get-started-user-state 0").await, "RUNNING_UNLOCKED\n");
    install(&first, "com.example.game").await;
    let card = restarted(&room).await;
    assert_eq!(said(&card, "am get-started-user-state 0").await, "RUNNING_LOCKED\n");
    // What is installed now has its folder only when the key comes.
    install(&card, "com.example.other").await;
    assert_eq!(
        said(&card, "ls /data/data | wc -l; ls /data/user_de/0").await,
        "1\ncom.example.game\ncom.example.other\n"
    );
    let (status, body) = post(&room, "/cards/0/unlock", "{}").await;
    assert_eq!((status, body.as_str()), (200, r#"{"unlocked":true,"user":0}"#));
    assert_eq!(
        said(&card, "ls /data/data; am get-started-user-state 0").await,
        "com.example.game\ncom.example.other\nRUNNING_UNLOCKED\n"
    );
    assert_eq!(post(&room, "/cards/0/unlock", r#"{"user":10}"#).await.0, 409);
    let card = restarted(&room).await;
    all(&card, &[("locksettings clear --old 1234", "Lock credential cleared\n", "", 0)]).await;
}

#[tokio::test]
async fn every_user_has_a_key_of_his_own() {
    let room = room(1, "").await;
    let first = card(&room, 0).await;
    said(&first, "pm create-user Second; am start-user 10; echo his >/data/media/10/photo").await;
    install(&first, "com.example.game").await;
    said(&first, "locksettings set-pin --user 10 5678").await;
    let card = restarted(&room).await;
    all(
        &card,
        &[
            ("ls /data/data; getprop sys.user.0.ce_available", "com.example.game\ntrue\n", "", 0),
            ("am get-started-user-state 10", "User is not started: 10\n", "", 0),
            ("cat /data/media/10/photo", "", "cat: /data/media/10/photo: No such file or directory\n", 1),
            ("am start-user 10; am get-started-user-state 10", "Success: user started\nRUNNING_LOCKED\n", "", 0),
            ("ls /data/user_de/10; ls /data/user/10 | grep -c example", "com.example.game\n0\n", "", 1),
            ("locksettings verify --user 10 --old 5678", "Lock credential verified successfully\n", "", 0),
            ("cat /data/media/10/photo; ls /data/user/10", "his\ncom.example.game\n", "", 0),
        ],
    )
    .await;
}
