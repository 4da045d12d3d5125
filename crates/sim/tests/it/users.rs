//! A second user: his folders, his applications, his start and his end.

use crate::support::{all, card, install, restarted, room, said, told};

#[tokio::test]
async fn a_card_has_one_user_who_is_unlocked() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    all(
        &card,
        &[
            ("pm list users", "Users:\n\tUserInfo{0:Owner:13} running\n", "", 0),
            ("pm get-max-users", "Maximum supported users: 4\n", "", 0),
            ("am get-current-user", "0\n", "", 0),
            (
                "am get-started-user-state 0; am get-started-user-state 10",
                "RUNNING_UNLOCKED\nUser is not started: 10\n",
                "",
                0,
            ),
            ("getprop sys.user.0.ce_available; getprop ro.crypto.state", "true\nunencrypted\n", "", 0),
            (
                "ls -A /data/user /data/user_de /data/media",
                "/data/media:\n0\n\n/data/user:\n0\n\n/data/user_de:\n0\n",
                "",
                0,
            ),
        ],
    )
    .await;
    let dumped = said(&card, "dumpsys user").await;
    assert!(
        dumped.starts_with(
            "Users:\n  UserInfo{0:Owner:13} serialNo=0\n    State: RUNNING_UNLOCKED\n    Created: <unknown>\n"
        ),
        "{dumped}"
    );
    assert!(dumped.contains("\n  Started users state: {0=3}\n\n  Max users: 4\n"), "{dumped}");
    said(&card, "stop").await;
    all(
        &card,
        &[
            ("dumpsys user", "", "Can't find service: user\n", 0),
            ("pm list users", "", "cmd: Can't find service: package\n", 20),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_second_user_has_folders_of_his_own_until_he_is_removed() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    all(
        &card,
        &[
            ("pm create-user", "", "Error: no user name specified.\n", 1),
            ("pm create-user Second", "Success: created user id 10\n", "", 0),
            ("pm list users", "Users:\n\tUserInfo{0:Owner:13} running\n\tUserInfo{10:Second:0}\n", "", 0),
            ("am start-user 11", "", "Error: could not start user\n", 0),
            ("am start-user -w 10", "Success: user started\n", "", 0),
            ("pm list users | tail -n 1", "\tUserInfo{10:Second:10} running\n", "", 0),
            ("am get-started-user-state 10", "RUNNING_UNLOCKED\n", "", 0),
            ("am unlock-user 10 ! !", "Success: user unlocked\n", "", 0),
            (
                "cd /data; stat -c '%n %a %u %g' user/10 user_de/10 media/10 misc_ce/10 system/users/10 system/users/10.xml",
                "user/10 771 1000 1000\nuser_de/10 771 1000 1000\nmedia/10 770 1023 1023\nmisc_ce/10 1771 1000 9998\n\
                 system/users/10 700 1000 1000\nsystem/users/10.xml 600 1000 1000\n",
                "",
                0,
            ),
            ("stat -c '%n %a %u %U %g' /data/misc/user/10", "/data/misc/user/10 750 1001000 u10_system 1009997\n", "", 0),
            ("ls -Zd /data/user/10", "u:object_r:system_data_file:s0 /data/user/10\n", "", 0),
        ],
    )
    .await;
    let dumped = said(&card, "dumpsys user").await;
    assert!(
        dumped.contains("\n  UserInfo{10:Second:10} serialNo=10\n    State: RUNNING_UNLOCKED\n    Created: +"),
        "{dumped}"
    );
    assert!(dumped.contains("Started users state: {0=3, 10=3}\n"), "{dumped}");
    all(
        &card,
        &[
            ("am stop-user 0", "", "Switch failed: -3 (System user cannot be stopped)\n", 255),
            ("am stop-user 10; am get-started-user-state 10", "User is not started: 10\n", "", 0),
            ("pm remove-user 0", "", "Error: couldn't remove user id 0\n", 1),
            ("pm remove-user x", "", "Error: user id 'x' is not a number.\n", 1),
            ("pm remove-user 10", "Success: removed user\n", "", 0),
            ("pm remove-user 10", "", "Error: couldn't remove user id 10\n", 1),
            (
                "find /data /storage -name '10*'; ls /data/user /data/media",
                "/data/media:\n0\n\n/data/user:\n0\n",
                "",
                0,
            ),
            // A number is not given out again before a restart, and a serial number never.
            ("pm create-user Third", "Success: created user id 11\n", "", 0),
        ],
    )
    .await;
    assert!(said(&card, "dumpsys user").await.contains("UserInfo{11:Third:0} serialNo=11\n    State: -1\n"));
    for name in ["Fourth", "Fifth"] {
        said(&card, &format!("pm create-user {name}")).await;
    }
    all(&card, &[("pm create-user Sixth", "", "Error: couldn't create User.\n", 1)]).await;
}

#[tokio::test]
async fn a_second_user_has_applications_and_data_of_his_own() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    install(&card, "com.example.old").await;
    said(&card, "pm create-user Second; am start-user 10").await;
    install(&card, "com.example.both").await;
    let owner = said(&card, "stat -c %u /data/data/com.example.both").await;
    let (owner, own): (u32, u32) = (owner.trim().parse().unwrap(), owner.trim().parse::<u32>().unwrap() + 1_000_000);
    let app = owner - 10_000;
    for folder in ["/data/user/10", "/data/user_de/10"] {
        let line =
            format!("stat -c '%u %g %U %a' {folder}/com.example.both; stat -c '%g %G' {folder}/com.example.both/cache");
        let told = format!("{own} {own} u10_a{app} 700\n{} u10_a{app}_cache\n", own + 10_000);
        all(&card, &[(&line, &told, "", 0)]).await;
    }
    let context = said(&card, "ls -Zd /data/user/10/com.example.both").await;
    assert!(context.contains(":s0:c") && context.contains(",c522,c768 "), "{context}");
    let again =
        said(&card, "f=/data/user/10/com.example.both; chcon u:object_r:x:s0 $f; restorecon $f; ls -Zd $f").await;
    assert_eq!(again, context);
    let f = "/data/user/10/com.example.both";
    let right = context.split(' ').next().unwrap_or_default();
    let word = format!("SELinux:  Relabeling {f} from u:object_r:x:s0 to {right}.\n");
    let looks = format!("chcon u:object_r:x:s0 {f}; restorecon -nv {f}; ls -Zd {f}");
    all(&card, &[(&looks, &format!("u:object_r:x:s0 {f}\n"), &word, 0)]).await;
    let mends = format!("restorecon -v {f}; restorecon -nv {f}; ls -Zd {f}");
    all(&card, &[(&mends, &context, &word, 0)]).await;
    all(
        &card,
        &[
            ("pm list packages -3 --user 10", "package:com.example.both\n", "", 0),
            ("pm list packages -3", "package:com.example.both\npackage:com.example.old\n", "", 0),
            ("pm list packages -U --user 10 com.example.both", &format!("package:com.example.both uid:{own}\n"), "", 0),
            ("pm path --user 10 com.example.old", "", "", 1),
            (
                "pm install-existing --user 10 com.example.old",
                "Package com.example.old installed for user: 10\n",
                "",
                0,
            ),
            ("pm path --user 10 com.example.old", "package:/data/app/com.example.old/base.apk\n", "", 0),
            ("ls /data/user/10", "com.example.both\ncom.example.old\n", "", 0),
            ("echo x >/data/user/10/com.example.old/save; pm clear --user 10 com.example.old", "Success\n", "", 0),
            ("ls /data/user/10/com.example.old", "cache\ncode_cache\n", "", 0),
            ("pm uninstall --user 10 com.example.old", "Success\n", "", 0),
            ("pm uninstall --user 10 com.example.old", "Failure [not installed for 10]\n", "", 1),
            (
                "ls /data/user/10 /data/data",
                "/data/data:\ncom.example.both\ncom.example.old\n\n/data/user/10:\ncom.example.both\n",
                "",
                0,
            ),
        ],
    )
    .await;
    let dumped = said(&card, "dumpsys package com.example.old").await;
    assert!(
        dumped.contains("    User 0: ceDataInode=") && dumped.contains("    User 10: ceDataInode=0 installed=false"),
        "{dumped}"
    );
}

#[tokio::test]
async fn an_application_of_the_second_user_alone_goes_with_him() {
    let room = room(1, "").await;
    let card = card(&room, 0).await;
    let file = sim::Apk::new("com.example.his", 1).file(1000);
    room.cards[0].put_file("/data/local", "his.apk", &file).unwrap();
    all(
        &card,
        &[
            ("pm create-user Second", "Success: created user id 10\n", "", 0),
            ("pm install --user 10 /data/local/his.apk", "Success\n", "", 0),
            ("pm list packages -3; pm list packages -3 --user 10", "package:com.example.his\n", "", 0),
            (
                "ls /data/data /data/user/10 /data/app",
                "/data/app:\ncom.example.his\n\n/data/data:\n\n/data/user/10:\n",
                "",
                0,
            ),
            // He does not run yet: what he needs is made when he starts.
            ("am start-user 10; ls /data/user/10", "Success: user started\ncom.example.his\n", "", 0),
            ("pm remove-user 10; ls /data/app", "Success: removed user\n", "", 0),
        ],
    )
    .await;
    assert!(room.cards[0].state().packages.is_empty());
}

#[tokio::test]
async fn users_outlast_a_restart_and_not_a_reset() {
    let room = room(1, "").await;
    let first = card(&room, 0).await;
    said(&first, "pm create-user Second; am start-user 10; echo x >/data/media/10/photo").await;
    let card = restarted(&room).await;
    all(
        &card,
        &[
            ("pm list users | tail -n 1", "\tUserInfo{10:Second:10}\n", "", 0),
            // Nothing is encrypted as long as nobody has a screen lock.
            ("cat /data/media/10/photo", "x\n", "", 0),
        ],
    )
    .await;
    room.cards[0].wipe();
    let card = crate::support::card(&room, 0).await;
    assert_eq!(said(&card, "pm list users").await, "Users:\n\tUserInfo{0:Owner:13} running\n");
    assert_eq!(told(&card, "ls /data/user/10").await.2, 1);
}
