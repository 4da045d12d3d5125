//! How the server is configured: file, then environment, then flags; each overrides the one before.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use chrono_tz::Tz;
use figment::Figment;
use figment::providers::{Env, Format as _, Serialized, Toml};
use serde::{Deserialize, Serialize};

use crate::anchor::Anchors;

/// Every setting of the process. Business settings live in the database, under the platform screens.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// `sqlite:PATH` or `postgres://USER@HOST/NAME`; empty means a SQLite file in `data_dir`.
    pub database: String,
    /// Folder for the database, uploaded files and secrets.
    pub data_dir: PathBuf,
    /// The file that the operation log is anchored in, if not `audit.anchor` in `data_dir`; best where whoever may
    /// write the database may not.
    pub audit_anchor: Option<PathBuf>,
    /// Connections for reading.
    pub readers: u32,
    /// Rows that an export answers at once; a longer list becomes a background task with a result file.
    pub export_rows: u64,
    /// The zone in which days begin and files show times, as the IANA names it.
    pub time_zone: String,
    /// Addresses whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Who may read `/metrics`, besides this machine.
    pub metrics_from: Vec<IpAddr>,
    /// `text` or `json`.
    pub log_format: LogFormat,
    /// What is logged, in the syntax of tracing's `EnvFilter`.
    pub log: String,
    /// TLS certificate chain, PEM; both or neither of the two.
    pub tls_cert: Option<PathBuf>,
    /// TLS private key, PEM.
    pub tls_key: Option<PathBuf>,
    /// Connections at a time, in all.
    pub max_connections: usize,
    /// Connections at a time from one address.
    pub max_connections_per_ip: usize,
    /// Where files are kept, if not in `data_dir`.
    pub s3: S3Config,
    /// The console's address as browsers know it, such as `https://console.example.com`; empty for
    /// whatever a browser says. OpenID Connect providers send people back there.
    pub public_url: String,
    /// OpenID Connect providers that operators may sign in with.
    pub oidc: Vec<OidcProvider>,
}

/// An OpenID Connect provider.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OidcProvider {
    /// Part of the addresses: lower-case letters and digits, up to 32.
    pub id: String,
    /// As people know it.
    pub name: String,
    /// Such as `https://login.example.com`.
    pub issuer: String,
    /// What the provider calls this console.
    pub client_id: String,
    /// The secret that goes with it.
    pub client_secret: String,
    /// What is asked for; `openid` alone by default.
    pub scopes: Vec<String>,
}

impl fmt::Debug for OidcProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcProvider").field("id", &self.id).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl OidcProvider {
    fn check(&self, others: &[Self]) -> anyhow::Result<()> {
        let Self { id, name, issuer, client_id, client_secret: _, scopes: _ } = self;
        anyhow::ensure!(
            (1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
            "configuration: oidc.id must be 1 to 32 lower-case letters and digits, not `{id}`"
        );
        anyhow::ensure!(
            others.iter().filter(|other| other.id == *id).count() == 1,
            "configuration: two oidc providers are called `{id}`"
        );
        anyhow::ensure!(
            !name.is_empty() && !client_id.is_empty(),
            "configuration: oidc provider `{id}` needs a name and a client_id"
        );
        let local =
            ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|start| issuer.starts_with(start));
        anyhow::ensure!(
            issuer.starts_with("https://") || local,
            "configuration: oidc provider `{id}`: issuer must begin with https://"
        );
        Ok(())
    }

    /// The scopes, with the one that makes it OpenID Connect.
    #[must_use]
    pub fn scope(&self) -> String {
        let others = self.scopes.iter().map(String::as_str).filter(|scope| *scope != "openid");
        std::iter::once("openid").chain(others).collect::<Vec<_>>().join(" ")
    }
}

/// How the process logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// A bucket of S3 or of what speaks its protocol.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct S3Config {
    /// The bucket, which must exist. Empty: files are kept in `data_dir`.
    pub bucket: String,
    /// Such as `https://s3.example.com`; empty for the region's own.
    pub endpoint: String,
    /// Such as `cn-north-1`.
    pub region: String,
    /// The public half of the credentials.
    pub access_key_id: String,
    /// The other half; better given by the environment than by a file.
    pub secret_access_key: String,
    /// Whether the bucket is part of the host name instead of the path.
    pub virtual_host: bool,
}

impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bucket, endpoint, .. } = self;
        f.debug_struct("S3Config").field("bucket", bucket).field("endpoint", endpoint).finish_non_exhaustive()
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            database: String::new(),
            data_dir: PathBuf::from("data"),
            audit_anchor: None,
            readers: 8,
            export_rows: 200_000,
            time_zone: "Asia/Shanghai".to_owned(),
            trusted_proxies: Vec::new(),
            metrics_from: Vec::new(),
            log_format: LogFormat::Text,
            log: "info,sqlx=warn,sea_orm=warn".to_owned(),
            tls_cert: None,
            tls_key: None,
            max_connections: 2000,
            max_connections_per_ip: 500,
            s3: S3Config::default(),
            public_url: String::new(),
            oidc: Vec::new(),
        }
    }
}

impl Config {
    /// Reads the configuration: defaults, then `file`, then `SKYRACK_...` (two underscores go one
    /// level down: `SKYRACK_S3__BUCKET`), then `flags`.
    ///
    /// # Errors
    /// When a key is unknown or a value does not fit; the message names both.
    pub fn load(file: Option<&PathBuf>, flags: impl Serialize) -> anyhow::Result<Self> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            anyhow::ensure!(file.is_file(), "the configuration file {} does not exist", file.display());
            figment = figment.merge(Toml::file_exact(file));
        }
        let config: Self = figment
            // These are not configuration but secrets handed over at start.
            .merge(
                Env::prefixed("SKYRACK_")
                    .ignore(&["admin_password", "master_key", "master_key_file", "config"])
                    .split("__"),
            )
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(|error| anyhow::anyhow!("configuration: {error}"))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            (1..=64).contains(&self.readers),
            "configuration: readers must be 1 to 64, not {}",
            self.readers
        );
        anyhow::ensure!(
            (1..=1_000_000).contains(&self.export_rows),
            "configuration: export_rows must be 1 to 1,000,000, not {}",
            self.export_rows
        );
        anyhow::ensure!(
            self.time_zone.parse::<Tz>().is_ok(),
            "configuration: time_zone {} is no zone; write it like Asia/Shanghai",
            self.time_zone
        );
        anyhow::ensure!(
            self.tls_cert.is_some() == self.tls_key.is_some(),
            "configuration: tls_cert and tls_key belong together; give both or neither"
        );
        for provider in &self.oidc {
            provider.check(&self.oidc)?;
        }
        anyhow::ensure!(self.max_connections > 0, "configuration: max_connections must be at least 1");
        let S3Config { bucket, region, access_key_id, secret_access_key, .. } = &self.s3;
        if !bucket.is_empty() {
            for (key, value) in
                [("region", region), ("access_key_id", access_key_id), ("secret_access_key", secret_access_key)]
            {
                anyhow::ensure!(!value.is_empty(), "configuration: s3.{key} is missing; s3.bucket needs it");
            }
        }
        Ok(())
    }

    /// Where the master key of the vault is: given in `SKYRACK_MASTER_KEY`, in the file that
    /// `SKYRACK_MASTER_KEY_FILE` names, else made once in the data directory.
    #[must_use]
    pub fn master_key(&self) -> vault::Source {
        let given = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(key) = given("SKYRACK_MASTER_KEY") {
            return vault::Source::Given(key.into());
        }
        given("SKYRACK_MASTER_KEY_FILE").map_or_else(
            || vault::Source::Made(self.data_dir.join("master.key")),
            |path| vault::Source::File(path.into()),
        )
    }

    /// The file that the operation log is anchored in.
    #[must_use]
    pub fn anchors(&self) -> Anchors {
        self.audit_anchor.as_deref().map_or_else(|| Anchors::at(&self.data_dir.join("audit.anchor")), Anchors::at)
    }

    /// The zone in which days begin; it was checked when the configuration was read.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.time_zone.parse().unwrap_or(Tz::Asia__Shanghai)
    }

    /// The database's address, the default filled in.
    #[must_use]
    pub fn database_url(&self) -> String {
        if self.database.is_empty() {
            format!("sqlite:{}", self.data_dir.join("skyrack.db").display())
        } else {
            self.database.clone()
        }
    }

    /// Where files are kept.
    #[must_use]
    pub fn object_place(&self) -> courier::Place {
        let S3Config { bucket, endpoint, region, access_key_id, secret_access_key, virtual_host } = self.s3.clone();
        if bucket.is_empty() {
            return courier::Place::Folder(self.data_dir.join("objects"));
        }
        let secret_access_key = secret_access_key.into();
        courier::Place::S3(courier::S3 { endpoint, region, bucket, access_key_id, secret_access_key, virtual_host })
    }
}
