//! sushy-emulator of OpenStack, as installed by its package and with its own password file: no sessions, HTTP Basic. It
//! is not ours, so it shows whether our client really follows Redfish and not only our own simulator.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use redfish::{Bmc as _, Client, Error, Limits, Login, Power, Rules, Trust, Wanted, confirm};
use tempfile::TempDir;

/// `password` as `htpasswd -B -C 4` writes it.
const USERS: &str = "admin:$2b$04$5byzPupIZHyAyfPGn3AJ8.8R9Ii..x39oiJQS2HVGupUTFLTfn9f.\n";

/// One that runs until it is dropped.
struct Emulator {
    child: Child,
    url: String,
    folder: TempDir,
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Emulator {
    /// Starts one on a free port; another process may take the port meanwhile, so a few are tried.
    async fn start(with_users: bool) -> Self {
        for _ in 0..5 {
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            let mut emulator = Self::spawn(port, with_users);
            if emulator.answers().await {
                return emulator;
            }
        }
        panic!("sushy-emulator did not start");
    }

    fn spawn(port: u16, with_users: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let system = "{'uuid': '10000000-0000-0000-0000-000000000001', 'name': 'slot-1', 'power_state': 'On', \
                      'external_notifier': False, 'nics': []}";
        let mut config =
            format!("SUSHY_EMULATOR_STATE_DIR = {:?}\nSUSHY_EMULATOR_FAKE_SYSTEMS = [{system}]\n", folder.path());
        if with_users {
            let users = folder.path().join("htpasswd");
            std::fs::write(&users, USERS).unwrap();
            config += &format!("SUSHY_EMULATOR_AUTH_FILE = {users:?}\n");
        }
        let file = folder.path().join("sushy.conf");
        std::fs::write(&file, config).unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/sushy-emulator");
        let child = Command::new(program)
            .args(["--fake", "--feature-set", "full", "--interface", "127.0.0.1", "--port", &port.to_string()])
            .arg("--config")
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("sushy-tools is in .venv: `make test` installs it from tests/requirements.txt");
        Self { child, url: format!("http://127.0.0.1:{port}"), folder }
    }

    async fn answers(&mut self) -> bool {
        for _ in 0..600 {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if reqwest::get(format!("{}/redfish/v1/", self.url)).await.is_ok() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        false
    }

    fn client(&self, password: &str) -> Client {
        Client::new(&self.url, Login::new("admin", password), Trust::NoTls, Limits::default()).unwrap()
    }

    /// Its lines about requests.
    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

async fn power_goes_round(bmc: &Client) {
    let abilities = bmc.abilities().await.unwrap();
    assert!(abilities.power && !abilities.sessions, "{abilities:?}");
    let slots = bmc.slots().await.unwrap();
    let id = slots.first().expect("a system").id.clone();
    // It takes seconds for each change.
    let patient = Rules { poll: Duration::from_millis(200), give_up: Duration::from_secs(60), ..Rules::default() };
    for (wanted, power) in [(Wanted::Off, Power::Off), (Wanted::On, Power::On), (Wanted::Cycle, Power::On)] {
        confirm(bmc, &id, wanted, &patient).await.unwrap();
        assert_eq!(bmc.slot(&id).await.unwrap().power, power);
    }
    bmc.sensors().await.unwrap();
}

#[tokio::test]
async fn plain_sushy_tools_is_asked_with_basic() {
    let emulator = Emulator::start(true).await;
    power_goes_round(&emulator.client("password")).await;
    assert!(!emulator.log().contains("SessionService"), "it names no sessions, so none are asked for");
}

#[tokio::test]
async fn plain_sushy_tools_refuses_a_wrong_password_once() {
    let emulator = Emulator::start(true).await;
    let bmc = emulator.client("wrong-password");
    for _ in 0..5 {
        assert_eq!(bmc.slots().await, Err(Error::AuthRefused));
    }
    let log = emulator.log();
    assert_eq!(log.matches(" 401 ").count(), 1, "nothing is tried again for a minute: {log}");
    assert!(!log.contains("wrong-password"));
    // The right one belongs to another client, and is sent at once.
    assert_eq!(emulator.client("password").slots().await.unwrap().len(), 1);
}

#[tokio::test]
async fn sushy_tools_without_users_is_understood() {
    let emulator = Emulator::start(false).await;
    power_goes_round(&emulator.client("whatever")).await;
}
