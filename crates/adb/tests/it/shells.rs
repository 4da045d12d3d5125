use std::sync::Arc;
use std::time::Duration;

use adb::{Command, Device as _, DevicePath, Error, PropName, ShellEvent, WindowSize};

use crate::support::{card, options, room};

const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn output_error_and_exit_code_come_apart() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let output = card.run(&Command::script("echo one; cat /nowhere; exit 7"), SOON).await.unwrap();
    assert_eq!(output.text(), "one\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "cat: /nowhere: No such file or directory\n");
    assert_eq!(output.exit, Some(7));
    let error = output.checked().unwrap_err();
    assert_eq!(error.reason().code(), "device_fail");
    assert!(error.to_string().contains("No such file or directory (exit code 7)"), "{error}");
}

#[tokio::test]
async fn input_reaches_the_program() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let input = vec![b'x'; 300_000];
    let output = card.run(&Command::new("wc").arg("-c").stdin(input), SOON).await.unwrap();
    assert_eq!(output.text(), "300000\n");
}

#[tokio::test]
async fn an_old_card_merges_its_outputs_and_tells_the_exit_code_all_the_same() {
    let room = room(1, "old").await;
    let card = card(&room).await;
    assert!(!card.abilities().separate_stderr);
    let output = card.run(&Command::script("echo one; cat /nowhere"), SOON).await.unwrap();
    assert_eq!(output.text(), "one\ncat: /nowhere: No such file or directory\n");
    assert_eq!(output.exit, Some(1));
    let refused = card.run(&Command::new("cat").stdin("x"), SOON).await;
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    assert_eq!(card.get_prop(&PropName::new("ro.build.version.release").unwrap()).await.unwrap(), "6.0");
}

#[tokio::test]
async fn long_output_is_cut_and_says_so() {
    let room = room(1, "").await;
    let mut short = options();
    short.limits.output = 1000;
    let card = adb::Card::connect(room.cards[0].address, &short).await.unwrap();
    let output = card.run(&Command::new("seq").arg(5000), SOON).await.unwrap();
    assert_eq!((output.stdout.len(), output.truncated, output.exit), (1000, true, Some(0)));
}

#[tokio::test]
async fn a_command_ends_at_its_deadline_and_the_connection_goes_on() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let late = card.run(&Command::new("sleep").arg(60), Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(late.reason().code(), "adb_timeout");
    assert!(!late.ends_connection());
    assert!(card.run(&Command::new("true"), SOON).await.unwrap().succeeded());
    assert!(card.is_open());
}

#[tokio::test]
async fn many_commands_share_a_connection_and_a_slow_one_delays_nobody() {
    let room = room(1, "").await;
    let card = Arc::new(card(&room).await);
    let slow = tokio::spawn({
        let card = Arc::clone(&card);
        async move { card.run(&Command::new("sleep").arg(1), SOON).await }
    });
    let all: Vec<_> = (0..40)
        .map(|n| {
            let card = Arc::clone(&card);
            tokio::spawn(async move { card.run(&Command::new("echo").arg(n), SOON).await.unwrap().text() })
        })
        .collect();
    for (n, one) in all.into_iter().enumerate() {
        assert_eq!(one.await.unwrap(), format!("{n}\n"));
    }
    assert!(!slow.is_finished());
    assert!(slow.await.unwrap().unwrap().succeeded());
}

#[tokio::test]
async fn dropped_commands_leave_nothing_behind() {
    let room = room(1, "").await;
    let card = card(&room).await;
    // More than may be open at once, each abandoned half-way.
    for n in 0..200u64 {
        let command = Command::new("sleep").arg(60);
        let run = card.run(&command, SOON);
        let _ = tokio::time::timeout(Duration::from_micros(n * 5), run).await;
    }
    assert_eq!(card.run(&Command::new("echo").arg("still"), SOON).await.unwrap().text(), "still\n");
}

#[tokio::test]
async fn a_person_gets_a_terminal() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let shell = card.shell(WindowSize { rows: 24, columns: 80 }).await.unwrap();
    shell.resize(WindowSize { rows: 50, columns: 132 }).await.unwrap();
    shell.write(b"echo hello\r").await.unwrap();
    shell.write(b"exit\r").await.unwrap();
    let mut seen = Vec::new();
    let exit = loop {
        match shell.read().await.unwrap() {
            ShellEvent::Output(bytes) => seen.extend_from_slice(&bytes),
            ShellEvent::Exit(code) => break code,
        }
    };
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains("echo hello\r\nhello\r\n"), "{seen:?}");
    assert_eq!(exit, Some(0));
}

#[tokio::test]
async fn properties_and_space() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let name = PropName::new("persist.sys.label").unwrap();
    card.set_prop(&name, "it's; a $(label)").await.unwrap();
    assert_eq!(card.get_prop(&name).await.unwrap(), "it's; a $(label)");
    assert_eq!(card.props().await.unwrap()["ro.serialno"], room.cards[0].serial());
    let refused = card.set_prop(&PropName::new("ro.serialno").unwrap(), "x").await.unwrap_err();
    assert_eq!(refused.reason().code(), "device_fail");
    let space = card.disk_free(&DevicePath::new("/data").unwrap()).await.unwrap();
    assert_eq!(space.total, 256 << 30);
    assert_eq!(space.used + space.free, space.total);
    assert!(card.is_booted().await.unwrap());
}

#[tokio::test]
async fn a_restart_is_proved_by_another_boot_id() {
    let room = room(1, "").await;
    let before = card(&room).await;
    let first = before.boot_id().await.unwrap();
    before.reboot().await.unwrap();
    let after = loop {
        match adb::Card::connect(room.cards[0].address, &options()).await {
            Ok(card) => break card,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    assert_ne!(after.boot_id().await.unwrap(), first);
    assert_eq!(room.cards[0].state().effects["reboot"], 1);
    assert!(!before.is_open());
    assert_eq!(before.run(&Command::new("true"), SOON).await.unwrap_err().reason().code(), "adb_closed");
    while !after.is_booted().await.unwrap() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_screen_is_a_picture() {
    let room = room(1, "").await;
    let picture = card(&room).await.screenshot(1 << 20).await.unwrap();
    assert_eq!(&picture[16..24], [0, 0, 0, 90, 0, 0, 0, 160]);
    let small = card(&room).await.screenshot(100).await.unwrap_err();
    assert_eq!(small, Error::TooLarge { limit: 100 });
}
