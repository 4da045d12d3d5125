//! A card that has lost root at a restart: everything is as for the user `shell`.

use adb::{Card, Connection, Device as _, DevicePath, Options};
use sim::{Fault, Room};

use crate::support::{all, install, restarted, room, said};

fn path(text: &str) -> DevicePath {
    DevicePath::new(text).unwrap()
}

/// What a service of ADB answers.
async fn service(room: &Room, name: &str) -> String {
    let connection = Connection::open(room.cards[0].address, &Options::default()).await.unwrap();
    let stream = connection.stream(name).await.unwrap();
    let mut all = Vec::new();
    while let Some(bytes) = stream.read().await.unwrap() {
        all.extend_from_slice(&bytes);
    }
    String::from_utf8(all).unwrap()
}

/// A card with an app that has saved something, which then loses root.
async fn rootless(faults: &str) -> (Room, Card) {
    let room = room(1, faults).await;
    let card = crate::support::card(&room, 0).await;
    install(&card, "com.example.game").await;
    said(&card, "echo saved >/data/data/com.example.game/save; echo x >/data/local/tmp/file").await;
    room.set_fault(0, Fault::Rootless, true);
    let card = restarted(&room).await;
    (room, card)
}

#[tokio::test]
async fn root_is_lost_at_the_next_restart_and_not_before() {
    let room = room(1, "rootless").await;
    let card = crate::support::card(&room, 0).await;
    assert_eq!(said(&card, "id -u; su 2000 id -u").await, "0\n2000\n");
    assert_eq!(service(&room, "root:").await, "adbd is already running as root\n");
    let card = restarted(&room).await;
    all(
        &card,
        &[
            ("id -u; id -g; whoami", "2000\n2000\nshell\n", "", 0),
            (
                "id",
                "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),\
                 1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),3001(net_bt_admin),3002(net_bt),3003(inet),\
                 3006(net_bw_stats),3009(readproc),3011(uhid) context=u:r:shell:s0\n",
                "",
                0,
            ),
            ("su -c id", "", "/system/bin/sh: su: inaccessible or not found\n", 127),
            ("command -v su || which su", "", "", 1),
            ("echo $(id -u); (id -u); sh -c 'id -u'; echo id -u | sh", "2000\n2000\n2000\n2000\n", "", 0),
            ("stop", "", "stop: must be root\n", 1),
            ("recovery --wipe_data", "", "recovery: must be root\n", 1),
            ("mount -o remount,rw /system", "", "mount: Operation not permitted\n", 1),
        ],
    )
    .await;
    assert_eq!(service(&room, "root:").await, "adbd cannot run as root in production builds\n");
    assert_eq!(service(&room, "remount:").await, "Not running as root. Try \"adb root\" first.\n");
    room.set_fault(0, Fault::Rootless, false);
    assert_eq!(said(&card, "id -u").await, "2000\n", "it comes back with a restart too");
    let card = restarted(&room).await;
    assert_eq!(said(&card, "id -u").await, "0\n");
}

#[tokio::test]
async fn a_shell_without_root_reads_only_what_it_may() {
    let (_room, card) = rootless("").await;
    let denied = "Permission denied";
    let save = "/data/data/com.example.game/save";
    for (line, err, exit) in [
        ("ls /data/data", format!("ls: /data/data: {denied}\n"), 1),
        ("ls -l /data/data", format!("ls: /data/data: {denied}\n"), 1),
        ("ls /data", format!("ls: /data: {denied}\n"), 1),
        ("ls /data/app", format!("ls: /data/app: {denied}\n"), 1),
        ("ls /data/media", format!("ls: /data/media: {denied}\n"), 1),
        ("ls /data/user/0", format!("ls: /data/user/0: {denied}\n"), 1),
        ("ls /data/property", format!("ls: /data/property: {denied}\n"), 1),
        (&format!("cat {save}"), format!("cat: {save}: {denied}\n"), 1),
        (&format!("cp {save} /data/local/tmp/save"), format!("cp: bad '{save}': {denied}\n"), 1),
        (&format!("stat -c %s {save}"), format!("stat: '{save}': {denied}\n"), 1),
        (&format!("[ -e {save} ]"), String::new(), 1),
        (
            "cat /data/property/persistent_properties",
            format!("cat: /data/property/persistent_properties: {denied}\n"),
            1,
        ),
        ("head -c 1 /dev/block/by-name/boot", format!("head: /dev/block/by-name/boot: {denied}\n"), 1),
        ("cd /data/data/com.example.game", format!("/system/bin/sh: cd: /data/data/com.example.game: {denied}\n"), 2),
        ("grep -r save /data/data", format!("grep: /data/data: {denied}\n"), 1),
        ("du -s /data/data/com.example.game", format!("du: /data/data/com.example.game: {denied}\n"), 1),
        ("echo /data/data/*", String::new(), 0),
    ] {
        let out = if exit == 0 { "/data/data/*\n" } else { "" };
        all(&card, &[(line, out, &err, exit)]).await;
    }
    all(
        &card,
        &[
            ("find /data/data", "/data/data\n", "find: /data/data: Permission denied\n", 1),
            (
                "find /data/data/com.example.game/save",
                "",
                "find: '/data/data/com.example.game/save': Permission denied\n",
                1,
            ),
            ("ls -d /data/data /data/data/com.example.game", "/data/data\n/data/data/com.example.game\n", "", 0),
            (
                "tar -cf - /data/data | tar -t",
                "data/data/\n",
                "tar: /data/data: Permission denied\ntar: had errors\n",
                0,
            ),
            // What everybody, or the shell's groups, may read.
            ("cat /data/local/tmp/file; ls /data/system", "x\ndropbox\npackages.list\npackages.xml\nusers\n", "", 0),
            ("cat /data/misc/adb/adb_keys", "QAAAAL8Lt1U= skyrack\n", "", 0),
            ("head -n 1 /data/app/com.example.game/base.apk", "SIMULATED-APK\n", "", 0),
            ("cat /proc/version", "Linux version 5.10.160\n", "", 0),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_shell_without_root_changes_only_what_it_may() {
    let (_room, card) = rootless("").await;
    let denied = "Permission denied\n";
    for (line, err, exit) in [
        ("echo x >/data/data/new", format!("/system/bin/sh: can't create /data/data/new: {denied}"), 1),
        (
            "echo x >>/data/misc/adb/adb_keys",
            format!("/system/bin/sh: can't create /data/misc/adb/adb_keys: {denied}"),
            1,
        ),
        ("mkdir /data/data/new", format!("mkdir: '/data/data/new': {denied}"), 1),
        ("mkdir -p /data/adb/new", format!("mkdir: '/data/adb': {denied}"), 1),
        ("touch /data/new", format!("touch: '/data/new': {denied}"), 1),
        ("touch /data/misc/adb/adb_keys", format!("touch: '/data/misc/adb/adb_keys': {denied}"), 1),
        ("rm /data/misc/adb/adb_keys", format!("rm: /data/misc/adb/adb_keys: {denied}"), 1),
        ("rm -rf /data/app", format!("rm: /data/app: {denied}"), 1),
        ("mv /data/app /data/local/tmp/app", format!("mv: bad '/data/app': {denied}"), 1),
        ("ln -s x /data/link", format!("ln: cannot create symbolic link from 'x' to '/data/link': {denied}"), 1),
        (
            "chmod 666 /data/misc/adb/adb_keys",
            "chmod: chmod '/data/misc/adb/adb_keys' to 0666: Operation not permitted\n".into(),
            1,
        ),
        ("chown shell /data/app", "chown: '/data/app' to 'shell:': Operation not permitted\n".into(), 1),
        (
            "cd /data/local/tmp && touch mine && chown root mine",
            "chown: 'mine' to 'root:': Operation not permitted\n".into(),
            1,
        ),
    ] {
        all(&card, &[(line, "", &err, exit)]).await;
    }
    let mine = "cd /data/local/tmp; echo y >mine; chmod 600 mine; chgrp log mine; mkdir -p a/b; mv mine a/b; stat -c '%U %G %a' a a/b/mine";
    all(&card, &[(mine, "shell shell 777\nshell log 600\n", "", 0)]).await;
}

#[tokio::test]
async fn what_is_shared_is_open_to_a_shell_without_root() {
    let (_room, card) = rootless("").await;
    let lines = "ls /sdcard; echo photo >/sdcard/Download/p; cat /storage/emulated/0/Download/p; rm /sdcard/Download/p";
    all(&card, &[(lines, "Download\nphoto\n", "", 0)]).await;
    // It is the way there that is open, not what is there.
    let around = "cat /sdcard/../../data/com.example.game/save";
    let denied = "cat: /sdcard/../../data/com.example.game/save: Permission denied\n";
    all(&card, &[(around, "", denied, 1)]).await;
}

#[tokio::test]
async fn the_file_service_without_root_lists_nothing_and_says_why_of_files() {
    let (_room, card) = rootless("").await;
    let save = path("/data/data/com.example.game/save");
    let listed = card.list(&path("/data/data"), 100).await.unwrap();
    assert!(listed.is_none_or(|folder| folder.entries.is_empty()), "it does not say that it may not");
    assert_eq!(card.list(&path("/data/local/tmp"), 100).await.unwrap().unwrap().entries.len(), 1);
    let told = card.stat(&save).await.unwrap_err().to_string();
    assert!(told.contains("Permission denied"), "{told}");
    let told = card.pull(&save, &mut Vec::new(), 100).await.unwrap_err().to_string();
    assert!(told.contains("Permission denied"), "{told}");
    let told = card.push(&mut &b"x"[..], &path("/data/data/new"), 0o644).await.unwrap_err().to_string();
    assert!(told.contains("Permission denied"), "{told}");
    card.push(&mut &b"x"[..], &path("/data/local/tmp/new"), 0o644).await.unwrap();
    assert_eq!(said(&card, "stat -c %U /data/local/tmp/new").await, "shell\n");
}

#[tokio::test]
async fn an_old_file_service_without_root_knows_no_error() {
    let (_room, card) = rootless("old").await;
    assert_eq!(said(&card, "getprop sys.user.0.ce_available").await.trim(), "");
    assert_eq!(card.stat(&path("/data/data/com.example.game/save")).await, Ok(None));
}
