//! Where an agent connects, whatever the console says.

use outbound::Rule;
use wire::{Act, BmcAccess, Console, PowerOrder};

use super::{Desk, Line, Said, effects, failed, room, shell, task};

/// What the agent says of a BMC that the console asks about.
async fn look(line: &mut Line, access: BmcAccess) -> String {
    line.say(&Console::BmcLook { stream: 1, access }).await;
    loop {
        if let said @ Said::BmcSeen { .. } = line.hear().await {
            return format!("{said:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bmcs_are_in_the_networks_of_the_room_and_of_the_agents_own_flags() {
    let (room, desk) = (room(4).await, Desk::open().await);
    let bmc = BmcAccess {
        url: format!("https://{}", room.bmcs[0].address),
        username: "admin".into(),
        password: "simulated".into(),
        certificate: String::new(),
        slot: 1,
    };
    let nets = |nets: &[&str]| Console::Ranges {
        ranges: Vec::new(),
        management_nets: nets.iter().map(|net| (*net).to_owned()).collect(),
    };
    let folder = tempfile::tempdir().unwrap();
    let (agent, mut line) = desk.agent(folder.path()).await;
    line.welcome().await;
    for (told, refused) in [
        // A console of an older version tells none.
        (vec![], false),
        (vec!["10.9.0.0/16"], true),
        (vec![], true),
        (vec!["not a network"], true),
        (vec!["10.9.0.0/16", "127.0.0.1"], false),
    ] {
        line.say(&nets(&told)).await;
        let said = look(&mut line, bmc.clone()).await;
        assert_eq!(said.contains("outside the room's management networks"), refused, "{told:?}: {said}");
    }
    drop((agent, line));

    // What the agent was started with, no console widens: nothing is sent to the BMC.
    let signed_in = room.bmcs[0].sessions();
    let folder = tempfile::tempdir().unwrap();
    let own = vec!["10.9.0.0/16".parse().unwrap()];
    let (_agent, mut line) = desk.agent_within(agent::simulated_room(), own, folder.path()).await;
    line.welcome().await;
    line.say(&nets(&["0.0.0.0/0"])).await;
    let said = look(&mut line, bmc.clone()).await;
    assert!(said.contains("outside the agent's --management-net"), "{said}");
    line.say(&Console::Tasks { tasks: vec![task(&room, 1, 0, Act::Power { order: PowerOrder::Off, bmc })] }).await;
    let all = line.results(1).await;
    assert_eq!(failed(&all[&1]), "address_refused");
    assert_eq!(room.bmcs[0].sessions(), signed_in);
    assert!(room.cards[0].is_on());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_console_cannot_send_an_agent_to_its_own_machine() {
    let (room, desk, folder) = (room(4).await, Desk::open().await, tempfile::tempdir().unwrap());
    let (_agent, mut line) = desk.agent_under(Rule::default().knowing_itself(), folder.path()).await;
    line.welcome().await;
    let port = room.bmcs[0].address.port();
    let bmc = |host: &str| BmcAccess {
        url: format!("https://{host}:{port}"),
        username: "admin".into(),
        password: "simulated".into(),
        certificate: String::new(),
        slot: 1,
    };
    let mut tasks = vec![task(&room, 1, 0, shell("effect proxied"))];
    let mut mapped = task(&room, 2, 1, shell("effect proxied"));
    mapped.address = format!("[::ffff:127.0.0.1]:{}", room.cards[1].address.port());
    tasks.push(mapped);
    let hosts =
        ["127.0.0.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "localhost"];
    for (id, host) in (3..).zip(hosts) {
        tasks.push(task(&room, id, 2, Act::Power { order: PowerOrder::Off, bmc: bmc(host) }));
    }
    let count = tasks.len();
    line.say(&Console::Tasks { tasks }).await;
    let all = line.results(count).await;
    for (id, result) in &all {
        assert_eq!(failed(result), "address_refused", "task {id}: {:?}", result.outcome);
    }
    assert_eq!((effects(&room, 0, "effect:proxied"), room.bmcs[0].sessions()), (0, 0));
    assert!(room.cards[2].is_on());

    line.say(&Console::BmcLook { stream: 9, access: bmc("127.0.0.1") }).await;
    line.say(&Console::FolderLook {
        stream: 10,
        address: room.cards[0].address.to_string(),
        serial: None,
        path: "/".into(),
    })
    .await;
    line.say(&Console::ShellOpen {
        stream: 11,
        address: room.cards[0].address.to_string(),
        serial: None,
        rows: 24,
        columns: 80,
    })
    .await;
    let mut told = Vec::new();
    while told.len() < 3 {
        let said = line.hear().await;
        if matches!(said, Said::BmcSeen { .. } | Said::FolderSeen { .. } | Said::ShellEnded { .. }) {
            told.push(format!("{said:?}"));
        }
    }
    assert!(told.iter().all(|said| said.contains("it is this machine")), "{told:?}");
}
