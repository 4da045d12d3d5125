//! Debian's vsftpd, plain and encrypted.

use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use outbound::{Fingerprint, Rule};
use store::{Bucket, Ftp, FtpSettings, Kind, Limit, Step, Store as _, Within, ftps_fingerprint};
use tempfile::TempDir;

use crate::same::judge;

/// A server with a writable folder for anonymous users.
pub struct Server {
    pub folder: TempDir,
    child: Child,
    pub port: u16,
    certificate: Option<Fingerprint>,
}

impl Server {
    pub fn new(is_encrypted: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let mut text = format!(
            "listen=YES\nlisten_address=127.0.0.1\nlisten_port={port}\nbackground=NO\nrun_as_launching_user=YES\n\
             seccomp_sandbox=NO\nanonymous_enable=YES\nlocal_enable=NO\nwrite_enable=YES\nanon_root={}\n\
             allow_writeable_chroot=YES\nanon_upload_enable=YES\nanon_mkdir_write_enable=YES\nanon_umask=022\n\
             anon_other_write_enable=YES\nanon_world_readable_only=NO\nmax_clients=8\nvsftpd_log_file={}\n",
            root.display(),
            folder.path().join("log").display(),
        );
        let mut certificate = None;
        if is_encrypted {
            let made = rcgen::generate_simple_self_signed(["nas.local".to_owned()]).unwrap();
            let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
            fs::write(&cert, made.cert.pem()).unwrap();
            fs::write(&key, made.signing_key.serialize_pem()).unwrap();
            write!(
                text,
                "ssl_enable=YES\nallow_anon_ssl=YES\nforce_anon_data_ssl=YES\nforce_anon_logins_ssl=YES\n\
                 require_ssl_reuse=YES\nssl_ciphers=HIGH\nrsa_cert_file={}\nrsa_private_key_file={}\n",
                cert.display(),
                key.display()
            )
            .unwrap();
            let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, made.cert.der());
            certificate = Some(Fingerprint(hash.as_ref().try_into().unwrap()));
        }
        let config = folder.path().join("vsftpd.conf");
        fs::write(&config, text).unwrap();
        let child = Command::new("/usr/sbin/vsftpd")
            .arg(&config)
            .stdout(Stdio::null())
            .spawn()
            .expect("vsftpd is installed: scripts/test.sh does it");
        wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { folder, child, port, certificate }
    }

    pub fn settings(&self) -> FtpSettings {
        FtpSettings {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            user: "anonymous".to_owned(),
            password: "a@b".to_owned().into(),
            // In full: a server that runs as whoever started it does not confine anybody to its root.
            folder: self.folder.path().join("root").display().to_string(),
            is_active: false,
            pin: self.certificate,
            outbound: here(),
        }
    }

    fn ftp(&self) -> Ftp {
        Ftp::new(self.settings(), Limit::default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Tests talk to this machine.
pub fn here() -> Rule {
    Rule::new(vec!["127.0.0.0/8".parse().unwrap()])
}

/// Waits for what another program is about to do, a minute at most.
fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn it_does_what_every_store_does() {
    let server = Server::new(false);
    judge(&server.ftp());
    let settings = server.settings();
    let active = FtpSettings { is_active: true, folder: format!("{}/active", settings.folder), ..settings };
    judge(&Ftp::new(active, Limit::default()));
    judge(&Within::new(std::sync::Arc::new(server.ftp()), "phone-1"));
}

#[test]
fn encrypted_with_the_pinned_certificate_only() {
    let server = Server::new(true);
    judge(&server.ftp());
    let seen = ftps_fingerprint("127.0.0.1", server.port, &here()).unwrap();
    assert_eq!(Some(seen), server.certificate);
    let other = FtpSettings { pin: Some(Fingerprint([7; 32])), ..server.settings() };
    let refused = Ftp::new(other, Limit::default()).read("config").unwrap_err();
    assert_eq!((refused.kind, refused.step), (Kind::Refused, Step::Encrypt), "{refused}");
    assert!(refused.text.contains("another certificate"), "{refused}");
    // Without encryption this server takes nobody.
    let plain = FtpSettings { pin: None, ..server.settings() };
    let refused = Ftp::new(plain, Limit::default()).read("config").unwrap_err();
    assert_eq!((refused.kind, refused.step), (Kind::Refused, Step::SignIn), "{refused}");
}

#[test]
fn what_is_wrong_is_told_with_its_step() {
    let server = Server::new(false);
    let wrong = FtpSettings { user: "somebody".to_owned(), ..server.settings() };
    let refused = Ftp::new(wrong, Limit::default()).list("", false).unwrap_err();
    assert_eq!((refused.kind, refused.step), (Kind::Refused, Step::SignIn), "{refused}");
    let shut = FtpSettings { outbound: Rule::default(), ..server.settings() };
    let refused = Ftp::new(shut, Limit::default()).list("", false).unwrap_err();
    assert_eq!((refused.kind, refused.step), (Kind::Refused, Step::Connect), "{refused}");
    let settings = server.settings();
    drop(server);
    let away = Ftp::new(settings, Limit::default()).list("", false).unwrap_err();
    assert_eq!((away.kind, away.step), (Kind::Unreachable, Step::Connect), "{away}");
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let server = Server::new(false);
    let store = server.ftp();
    store.write("config", &[Bytes::from_static(b"c")]).unwrap();
    let port = server.port;
    // A restart of the server: the kept connection is dead, and nobody has noticed.
    let root = server.folder.path().join("root/config");
    assert!(root.exists());
    Command::new("pkill").args(["-f", &format!("{}/vsftpd.conf", server.folder.path().display())]).status().unwrap();
    // One that is still going would take a connection and break it.
    wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_err());
    let restarted = Command::new("/usr/sbin/vsftpd").arg(server.folder.path().join("vsftpd.conf")).spawn();
    let mut restarted = restarted.unwrap();
    wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
    assert_eq!(store.read("config").unwrap(), "c");
    restarted.kill().unwrap();
    restarted.wait().unwrap();
}

#[test]
fn a_limit_holds() {
    let server = Server::new(false);
    let limit = Limit { up: Bucket::default(), down: Bucket::default() };
    limit.up.set_kbit(Some(8_000));
    let store = Ftp::new(server.settings(), limit.clone());
    let begun = Instant::now();
    store.write("pack", &[vec![0; 1_500_000].into()]).unwrap();
    // A second and a quarter behind what may come at once: never quicker.
    assert!(begun.elapsed() > Duration::from_millis(1100), "{:?}", begun.elapsed());
    limit.down.set_kbit(Some(8_000));
    let begun = Instant::now();
    store.read("pack").unwrap();
    assert!(begun.elapsed() > Duration::from_millis(1100), "{:?}", begun.elapsed());
}
