//! The server's configuration: file, then environment, then flags; each overrides the one before.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use chrono_tz::Tz;
use figment::Figment;
use figment::providers::{Env, Format as _, Serialized, Toml};
use outbound::{Net, Rule};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::handed;

/// All settings of the process. Business settings are in the database, under the platform pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Whether other machines may be served without TLS.
    pub insecure_http: bool,
    /// `sqlite:PATH` or `postgres://USER@HOST/NAME`; empty means a SQLite file in `data_dir`.
    pub database: String,
    /// Folder for the database, uploaded files and secrets.
    pub data_dir: PathBuf,
    /// The name of this console for other consoles on the same database; empty for the machine's name.
    pub console_name: String,
    /// The file in which the operation log is anchored, if not `audit.anchor` in `data_dir`; best where those who may
    /// write to the database may not.
    pub audit_anchor: Option<PathBuf>,
    /// Connections for reading.
    pub readers: u32,
    /// Rows up to which an export is answered at once; a longer list becomes a background task with a result file.
    pub export_rows: u64,
    /// The IANA time zone in which days start and files show times.
    pub time_zone: String,
    /// Addresses whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    /// Address and port for `/metrics`, which is served nowhere else; if none, there are no metrics.
    pub metrics_listen: Option<SocketAddr>,
    /// Who may read `/metrics`, in addition to this machine.
    pub metrics_from: Vec<IpAddr>,
    /// `text` or `json`.
    pub log_format: LogFormat,
    /// What is logged, in the syntax of tracing's `EnvFilter`.
    pub log: String,
    /// TLS certificate chain, PEM; both or neither of the two.
    pub tls_cert: Option<PathBuf>,
    /// TLS private key, PEM.
    pub tls_key: Option<PathBuf>,
    /// Concurrent connections in total.
    pub max_connections: usize,
    /// Concurrent connections from one address (an IPv6 address counts with its /64), and concurrent requests from one
    /// that a trusted proxy reports.
    pub max_connections_per_ip: usize,
    /// Files that a room agent may upload in a day.
    pub agent_files_per_day: u32,
    /// Their size in bytes.
    pub agent_bytes_per_day: u64,
    /// Maximum size in bytes of the record of one shell; then the shell ends.
    pub shell_record_bytes: u64,
    /// Networks of this machine or its link that the server may connect to nevertheless, such as `127.0.0.0/8` if the
    /// object storage runs on it. BMCs may be there too.
    pub allow_outbound: Vec<Net>,
    /// Where files are kept, if not in `data_dir`.
    pub s3: S3Config,
    /// The console's address as browsers know it, such as `https://console.example.com`. OpenID Connect providers send
    /// people back there; while it is empty nobody can sign in with one.
    pub public_url: String,
    /// OpenID Connect providers with which operators may sign in.
    pub oidc: Vec<OidcProvider>,
    /// The program whose `inspect` inspects uploaded files; this one by default. For tests.
    #[serde(skip)]
    pub reader: Option<PathBuf>,
}

/// An OpenID Connect provider.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OidcProvider {
    /// Used in addresses: lower-case letters and digits, up to 32.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    /// Such as `https://login.example.com`.
    pub issuer: String,
    /// This console's client id at the provider.
    pub client_id: String,
    /// The client secret.
    pub client_secret: String,
    /// The requested scopes; only `openid` by default.
    pub scopes: Vec<String>,
    /// Values of `acr` by which this provider reports a second factor. `amr` (RFC 8176) is understood in any case.
    pub second_factor_acr: Vec<String>,
}

impl fmt::Debug for OidcProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcProvider").field("id", &self.id).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl OidcProvider {
    fn check(&self, others: &[Self], outbound: &Rule) -> anyhow::Result<()> {
        let Self { id, name, issuer, client_id, client_secret: _, scopes: _, second_factor_acr } = self;
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
        anyhow::ensure!(
            second_factor_acr.iter().all(|value| !value.trim().is_empty()),
            "configuration: oidc provider `{id}`: second_factor_acr holds an empty value"
        );
        let issuer = url_of(&format!("oidc provider `{id}`: issuer"), issuer, outbound)?;
        anyhow::ensure!(
            issuer.scheme() == "https" || Rule::default().check_url(&issuer).is_err(),
            "configuration: oidc provider `{id}`: issuer must begin with https://"
        );
        Ok(())
    }

    /// The scopes, including the one required by OpenID Connect.
    #[must_use]
    pub fn scope(&self) -> String {
        let others = self.scopes.iter().map(String::as_str).filter(|scope| *scope != "openid");
        std::iter::once("openid").chain(others).collect::<Vec<_>>().join(" ")
    }
}

/// A URL of the configuration that the console may connect to.
fn url_of(what: &str, text: &str, outbound: &Rule) -> anyhow::Result<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
    // Without the text: it may contain a password.
    let url = url.ok_or_else(|| anyhow::anyhow!("configuration: {what} must begin with https:// and name a host"))?;
    outbound.check_url(&url).map_err(|refused| {
        anyhow::anyhow!("configuration: {what}: {refused}; name its network in allow_outbound if it is meant")
    })?;
    Ok(url)
}

/// What is logged if the configuration does not say: what our own crates tell, and of others only errors. They tell
/// whatever their authors find useful: statements, addresses, headers.
pub const LOG: &str = "error,skyrack=info,accounts=info,adb=info,agent=info,base=info,courier=info,crowd=info,\
    customers=info,db=info,entity=info,fleet=info,inspect=info,kernel=info,migration=info,open=info,outbound=info,\
    phones=info,platform=info,queue=info,redfish=info,server=info,sim=info,snapshot=info,store=info,vault=info,wire=info";

/// The log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A bucket of S3 or of a compatible service.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct S3Config {
    /// The bucket, which must exist. If empty, files are kept in `data_dir`.
    pub bucket: String,
    /// Such as `https://s3.example.com`; empty for the region's default.
    pub endpoint: String,
    /// Such as `cn-north-1`.
    pub region: String,
    /// The access key id.
    pub access_key_id: String,
    /// The secret key; better set in the environment than in a file.
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
            insecure_http: false,
            database: String::new(),
            data_dir: PathBuf::from("data"),
            console_name: String::new(),
            audit_anchor: None,
            readers: 8,
            export_rows: 200_000,
            time_zone: "Asia/Shanghai".to_owned(),
            trusted_proxies: Vec::new(),
            metrics_listen: None,
            metrics_from: Vec::new(),
            log_format: LogFormat::Text,
            log: LOG.to_owned(),
            tls_cert: None,
            tls_key: None,
            max_connections: 2000,
            max_connections_per_ip: 500,
            agent_files_per_day: 50_000,
            shell_record_bytes: 64 << 20,
            agent_bytes_per_day: 64 << 30,
            allow_outbound: Vec::new(),
            s3: S3Config::default(),
            public_url: String::new(),
            oidc: Vec::new(),
            reader: None,
        }
    }
}

impl Config {
    /// Reads the configuration: defaults, then `file`, then `SKYRACK_...` (two underscores separate levels:
    /// `SKYRACK_S3__BUCKET`), then `flags`.
    ///
    /// # Errors
    /// When a key is unknown or a value is invalid; the message names both.
    pub fn load(file: Option<&PathBuf>, flags: impl Serialize) -> anyhow::Result<Self> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            anyhow::ensure!(file.is_file(), "the configuration file {} does not exist", file.display());
            figment = figment.merge(Toml::file_exact(file));
        }
        let mut secrets = Figment::new();
        for (name, key) in [(handed::DATABASE, "database"), (handed::S3_SECRET, "s3.secret_access_key")] {
            if let Some(secret) = handed::get(name) {
                secrets = secrets.merge(Serialized::default(key, secret.as_str()));
            }
        }
        let config: Self = figment
            // These are not configuration but secrets handed over at startup.
            .merge(
                Env::prefixed("SKYRACK_")
                    .ignore(&["admin_password", "master_key", "master_key_file", "config", "handed_to"])
                    .split("__"),
            )
            .merge(secrets)
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
            "configuration: time_zone {} is not a time zone; use a name like Asia/Shanghai",
            self.time_zone
        );
        anyhow::ensure!(
            self.tls_cert.is_some() == self.tls_key.is_some(),
            "configuration: tls_cert and tls_key belong together; set both or neither"
        );
        for provider in &self.oidc {
            provider.check(&self.oidc, &self.outbound())?;
        }
        anyhow::ensure!(
            self.max_connections > 0 && self.max_connections_per_ip > 0,
            "configuration: max_connections and max_connections_per_ip must be at least 1"
        );
        let S3Config { bucket, endpoint, region, access_key_id, secret_access_key, .. } = &self.s3;
        if !endpoint.is_empty() {
            url_of("s3.endpoint", endpoint, &self.outbound())?;
        }
        if !bucket.is_empty() {
            for (key, value) in
                [("region", region), ("access_key_id", access_key_id), ("secret_access_key", secret_access_key)]
            {
                anyhow::ensure!(!value.is_empty(), "configuration: s3.{key} is missing; s3.bucket needs it");
            }
        }
        Ok(())
    }

    /// A warning for each start; an error if passwords would cross a network unencrypted and this was not confirmed.
    ///
    /// # Errors
    /// When other machines would be served without TLS, and `insecure_http` does not say so.
    pub fn exposure(&self) -> anyhow::Result<Option<String>> {
        if self.tls_cert.is_some() || self.listen.ip().to_canonical().is_loopback() {
            return Ok(None);
        }
        anyhow::ensure!(
            self.insecure_http,
            "configuration: {} can be reached from other machines, and without TLS everybody on the way reads passwords. \
             Give tls_cert and tls_key; or listen on 127.0.0.1 behind a proxy that encrypts; or say --insecure-http \
             where something else encrypts",
            self.listen
        );
        Ok(Some(format!(
            "insecure_http: {} is served without TLS; anybody on the network path can read and change everything",
            self.listen
        )))
    }

    /// Where the master key of the vault is: in `SKYRACK_MASTER_KEY`, in the file named by `SKYRACK_MASTER_KEY_FILE`,
    /// else generated once in the data directory.
    #[must_use]
    pub fn master_key(&self) -> vault::Source {
        if let Some(key) = handed::get(handed::MASTER_KEY) {
            return vault::Source::Given(key.as_str().to_owned().into());
        }
        let file = std::env::var("SKYRACK_MASTER_KEY_FILE").ok().filter(|path| !path.is_empty());
        file.map_or_else(
            || vault::Source::Made(self.data_dir.join("master.key")),
            |path| vault::Source::File(path.into()),
        )
    }

    /// The file in which the operation log is anchored.
    #[must_use]
    pub fn anchor_file(&self) -> PathBuf {
        self.audit_anchor.clone().unwrap_or_else(|| self.data_dir.join("audit.anchor"))
    }

    /// The zone in which days start; it was checked when the configuration was read.
    #[must_use]
    pub fn zone(&self) -> Tz {
        self.time_zone.parse().unwrap_or(Tz::Asia__Shanghai)
    }

    /// The database's address, or its default.
    #[must_use]
    pub fn database_url(&self) -> String {
        if self.database.is_empty() {
            format!("sqlite:{}", self.data_dir.join("skyrack.db").display())
        } else {
            self.database.clone()
        }
    }

    /// The addresses that may be connected to.
    #[must_use]
    pub fn outbound(&self) -> Rule {
        Rule::new(self.allow_outbound.clone())
    }

    /// The configuration of the demo company: its simulated room is on this machine.
    #[must_use]
    pub fn for_demo(mut self) -> Self {
        self.allow_outbound.push(Net::LOOPBACK);
        self
    }

    /// Where files are kept.
    #[must_use]
    pub fn object_place(&self) -> courier::Place {
        let S3Config { bucket, endpoint, region, access_key_id, secret_access_key, virtual_host } = self.s3.clone();
        if bucket.is_empty() {
            return courier::Place::Folder(self.data_dir.join("objects"));
        }
        let secret_access_key = secret_access_key.into();
        courier::Place::S3(courier::S3 {
            endpoint,
            region,
            bucket,
            access_key_id,
            secret_access_key,
            virtual_host,
            outbound: self.outbound(),
        })
    }
}
