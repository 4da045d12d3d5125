//! How the server is configured: file, then environment, then flags; each overrides the one before.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use figment::Figment;
use figment::providers::{Env, Format as _, Serialized, Toml};
use serde::{Deserialize, Serialize};

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
    /// Connections for reading.
    pub readers: u32,
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
    /// Sign-in.
    pub sign_in: SignIn,
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

/// Sign-in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// One session an operator: a second sign-in displaces the first.
    pub single_session: bool,
    /// Minutes without a request after which a session ends.
    pub idle_minutes: i64,
    /// Hours after which a session ends, whatever happens.
    pub absolute_hours: i64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            database: String::new(),
            data_dir: PathBuf::from("data"),
            readers: 8,
            trusted_proxies: Vec::new(),
            metrics_from: Vec::new(),
            log_format: LogFormat::Text,
            log: "info,sqlx=warn,sea_orm=warn".to_owned(),
            tls_cert: None,
            tls_key: None,
            max_connections: 2000,
            max_connections_per_ip: 500,
            sign_in: SignIn { single_session: true, idle_minutes: 30, absolute_hours: 12 },
        }
    }
}

impl Config {
    /// Reads the configuration: defaults, then `file`, then `SKYRACK_...` (two underscores go one
    /// level down: `SKYRACK_SIGN_IN__IDLE_MINUTES`), then `flags`.
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
            .merge(Env::prefixed("SKYRACK_").ignore(&["admin_password", "master_key", "master_key_file", "config"]).split("__"))
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(|error| anyhow::anyhow!("configuration: {error}"))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!((1..=64).contains(&self.readers), "configuration: readers must be 1 to 64, not {}", self.readers);
        anyhow::ensure!(
            self.tls_cert.is_some() == self.tls_key.is_some(),
            "configuration: tls_cert and tls_key belong together; give both or neither"
        );
        anyhow::ensure!(self.max_connections > 0, "configuration: max_connections must be at least 1");
        anyhow::ensure!(
            (1..=1440).contains(&self.sign_in.idle_minutes),
            "configuration: sign_in.idle_minutes must be 1 to 1440, not {}",
            self.sign_in.idle_minutes
        );
        anyhow::ensure!(
            (1..=168).contains(&self.sign_in.absolute_hours),
            "configuration: sign_in.absolute_hours must be 1 to 168, not {}",
            self.sign_in.absolute_hours
        );
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
        given("SKYRACK_MASTER_KEY_FILE")
            .map_or_else(|| vault::Source::Made(self.data_dir.join("master.key")), |path| vault::Source::File(path.into()))
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
}
