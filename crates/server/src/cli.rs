//! The command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use base::config::{Config, LogFormat};
use base::http::openapi;
use base::open::open;
use base::{anew, handed, inspection};
use clap::{Args, Parser, Subcommand};
use kernel::clock::Clock;
use phones::rebuild::Rebuilt;
use serde::Serialize;

use crate::alone::{self, Alone};
use crate::demo::Company;
use crate::{admin, backup, boot, catalogue, console, demo, domains, modes, router};

#[derive(Debug, Parser)]
#[command(name = "skyrack", version, about = "Back-office console of cloud-phone and cloud-game companies")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the console.
    Serve(ServeArgs),
    /// Bring the database's schema up to date and exit.
    Migrate(Common),
    /// Back up everything into one file while the server runs. It is sealed with the master key, which it does not contain.
    Backup(BackupArgs),
    /// Fill an empty database from a backup, also one of the other engine. All of the backup is checked first. The server
    /// has to be stopped.
    Restore(FileArgs),
    /// Fill an empty database with a small demo company and exit.
    Seed(SeedArgs),
    /// Create an operator or reset a password from the command line.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Make a new master key and wrap every secret with it. The server has to be stopped; the old key stays in the file
    /// for old backups.
    RotateKey(Common),
    /// Forget what was sealed with a master key that is lost, so that the server starts again. Says what that is, and does
    /// it with --yes. The server has to be stopped.
    ForgetSecrets(ForgetArgs),
    /// Print the code with which `restic` opens the backups of a phone, with the master key alone: for the day when neither
    /// console nor database is left. FILE is the `skyrack-key` in the phone's repository on its storage node.
    RecoveryCode(FileArgs),
    /// Make the books of a storage node anew from what lies in its folder, with the master key: for a database that was restored to
    /// an earlier hour, or is new and has its phones again. Says what it would write, and writes it with --yes; what is in the books
    /// stays as it is, and the folder too. The server has to be stopped.
    RebuildCatalogue(RebuildArgs),
    /// Run a room agent: manages the cards of one room for a console.
    Agent(agent::Flags),
    /// Print the ADB public key of an agent's room: the line that its cards keep in `adb_keys`.
    RoomKey {
        /// The agent's folder.
        #[arg(long, value_name = "DIR", env = "SKYRACK_AGENT_DATA_DIR", default_value = "data/agent")]
        data_dir: PathBuf,
    },
    /// Run a simulated room: cards that speak ADB, BMCs that speak Redfish, and faults to switch on. Or, with --customers, a
    /// crowd that uses the cloud phones of a console over its Open API.
    Simulate(Box<SimulateArgs>),
    /// Print the OpenAPI document: that of the operators' calls, or that of the Open API.
    Openapi {
        /// The Open API, which applications call.
        #[arg(long)]
        open: bool,
    },
    /// Read the file on standard input, confined; the server starts it (`server::inspection`).
    #[command(hide = true)]
    Inspect {
        /// What is asked, as JSON.
        ask: String,
    },
}

/// Flags that every command takes; each overrides the environment and the file.
#[derive(Debug, Args, Serialize)]
struct Common {
    /// Configuration file (TOML).
    #[arg(long, env = "SKYRACK_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// `sqlite:PATH` or `postgres://USER@HOST/NAME`; a SQLite file in the data directory by default.
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<String>,
    /// Folder for the database, uploaded files and secrets.
    #[arg(long, value_name = "DIR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
}

impl Common {
    /// These flags, and where one is not given that of `other`.
    fn or(self, other: Self) -> Self {
        Self {
            config: self.config.or(other.config),
            database: self.database.or(other.database),
            data_dir: self.data_dir.or(other.data_dir),
        }
    }
}

#[derive(Debug, Args, Serialize)]
struct FileArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// The file.
    #[serde(skip)]
    file: PathBuf,
}

#[derive(Debug, Args, Serialize)]
#[command(subcommand_negates_reqs = true)]
struct BackupArgs {
    #[command(subcommand)]
    #[serde(skip)]
    act: Option<BackupAct>,
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Leave it readable for everybody who has the file.
    #[arg(long)]
    #[serde(skip)]
    plain: bool,
    /// The backup file, which must not be there yet.
    #[arg(required = true)]
    #[serde(skip)]
    file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum BackupAct {
    /// Read a backup from start to end, compare every file and table with its list, and write nothing.
    Verify(FileArgs),
}

#[derive(Debug, Args, Serialize)]
struct ServeArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Address and port to listen on.
    #[arg(long, value_name = "ADDR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<SocketAddr>,
    /// Serve other machines without TLS: only where something else encrypts, such as a proxy on another machine.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    insecure_http: bool,
    /// Fill an empty database with a small demo company.
    #[arg(long)]
    #[serde(skip)]
    demo: bool,
    /// With --demo: a company at rest, as tests want it. Three of its rooms are records only, it has no history, and
    /// nobody works in it.
    #[arg(long, requires = "demo")]
    #[serde(skip)]
    quiet: bool,
}

impl ServeArgs {
    fn demo(&self) -> Option<Company> {
        self.demo.then_some(if self.quiet { Company::Quiet } else { Company::Whole })
    }
}

#[derive(Debug, Args)]
struct SimulateArgs {
    #[command(flatten)]
    room: sim::Simulate,
    #[command(flatten)]
    crowd: crowd::CrowdFlags,
}

#[derive(Debug, Args, Serialize)]
struct ForgetArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Do it; without this nothing is changed.
    #[arg(long)]
    #[serde(skip)]
    yes: bool,
}

#[derive(Debug, Args, Serialize)]
struct RebuildArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Write it; without this nothing is changed.
    #[arg(long)]
    #[serde(skip)]
    yes: bool,
    /// The folder of the node, with its `skyrack-node.json`, as this machine sees it.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Debug, Args, Serialize)]
struct SeedArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Seed the demo company (the only choice).
    #[arg(long)]
    #[serde(skip)]
    demo: bool,
    /// How many customers it has.
    #[arg(long, value_name = "N", default_value_t = demo::CUSTOMERS, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    #[serde(skip)]
    client_users: u32,
    /// How many cards stand in its rooms.
    #[arg(long, value_name = "N", default_value_t = demo::CARDS, value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    #[serde(skip)]
    cards: u32,
}

/// The password comes from `SKYRACK_ADMIN_PASSWORD`, or is made up and printed once.
#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Create an operator with all permissions.
    Create(AdminArgs),
    /// Reset an operator's password and enable the account; ends its sessions.
    ResetPassword(AdminArgs),
}

#[derive(Debug, Args, Serialize)]
struct AdminArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// The name that the operator signs in with.
    #[serde(skip)]
    username: String,
}

/// Runs the command that was asked for.
#[must_use]
pub fn main() -> ExitCode {
    modes::keep_to_ourselves();
    // What runs for long gives memory back. Before there are threads, and before anything is read from the environment; if it
    // cannot, it takes more memory.
    if std::env::args_os().nth(1).is_some_and(|command| ["agent", "serve"].iter().any(|long| command == *long)) {
        _ = anew::with(&agent::ALLOCATOR);
    }
    if let Err(error) = handed::take_out() {
        eprintln!("skyrack: {error:#}");
        return ExitCode::FAILURE;
    }
    let cli = Cli::parse();
    if let Command::Inspect { ask } = &cli.command {
        return inspection::child::main(ask);
    }
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("skyrack: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match command {
        Command::Inspect { .. } => anyhow::bail!("a reader has no second thread"),
        Command::Openapi { open } => {
            let document = if open { ::open::document() } else { router::document() };
            print!("{}", openapi::text(&document)?);
            Ok(())
        }
        Command::Agent(flags) => {
            start_log(&Config::default())?;
            let token = handed::get(handed::AGENT_TOKEN).map(|token| token.as_str().to_owned());
            runtime.block_on(agent::agent(flags.with_token(token), env!("CARGO_PKG_VERSION")))
        }
        Command::RoomKey { data_dir } => {
            println!("{}", agent::adb_key(&data_dir)?);
            Ok(())
        }
        Command::Simulate(args) => {
            let SimulateArgs { room, crowd } = *args;
            let secret = handed::get(handed::OPEN_SECRET);
            match crowd.settings(room.seed(), secret.as_ref().map(|secret| secret.as_str()))? {
                Some(crowd) => runtime.block_on(crowd::simulate(crowd)),
                None => runtime.block_on(sim::simulate(room)),
            }
        }
        Command::Migrate(common) => {
            let config = Config::load(common.config.clone().as_ref(), common)?;
            runtime.block_on(async {
                // A schema is not changed under a console that works with another one.
                let (_alone, _out) = (Alone::lock(&config)?, alone::keep_out(&config).await?);
                let (db, _) = boot::open(&config, &Clock::default(), None, boot::show).await?;
                Ok(db.close().await?)
            })
        }
        Command::Backup(BackupArgs { act: Some(BackupAct::Verify(args)), common, .. }) => {
            let flags = args.common.or(common);
            let config = Config::load(flags.config.clone().as_ref(), flags)?;
            backup::cli::verify(&config, &args.file)
        }
        Command::Backup(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            let file = args.file.as_deref().context("no file is named")?;
            runtime.block_on(backup::cli::backup(&config, file, args.plain))
        }
        Command::Restore(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(backup::cli::restore(&config, &args.file))
        }
        Command::RotateKey(common) => {
            let config = Config::load(common.config.clone().as_ref(), common)?;
            runtime.block_on(async {
                let (_alone, _out) = (Alone::lock(&config)?, alone::keep_out(&config).await?);
                let db = boot::connect(&config).await?;
                let (id, wrapped) = admin::rotate_key(&db, &config, &Clock::default()).await?;
                println!(
                    "Master key {id} seals from now on; {wrapped} secrets were wrapped anew. Keep a copy of the key file."
                );
                Ok(db.close().await?)
            })
        }
        Command::RecoveryCode(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            let found = admin::recovery_code(&config, &args.file)?;
            println!("{} ({}): {}", found.phone, found.folder, found.code.expose_text().unwrap_or_default());
            Ok(())
        }
        Command::ForgetSecrets(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(forget_secrets(config, args.yes))
        }
        Command::RebuildCatalogue(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(rebuild_catalogue(&config, &args.folder, args.yes))
        }
        Command::Seed(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            start_log(&config)?;
            runtime.block_on(seed(config, args.client_users, args.cards))
        }
        Command::Admin(command) => runtime.block_on(administer(command)),
        Command::Serve(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            start_log(&config)?;
            runtime.block_on(console::start(config, args.demo()))
        }
    }
}

async fn forget_secrets(config: Config, is_meant: bool) -> anyhow::Result<()> {
    let (_alone, _out) = (Alone::lock(&config)?, alone::keep_out(&config).await?);
    let db = boot::connect(&config).await?;
    let admin::Lost { secrets, second_factors, passwords, anchors } =
        admin::forget_secrets(&db, &config, &Clock::default(), is_meant).await?;
    db.close().await?;
    if secrets.is_empty() && second_factors.is_empty() {
        println!("Everything opens with the master key that is there; nothing has to be forgotten.");
        return Ok(());
    }
    let said = if is_meant { "Forgotten" } else { "This would be forgotten" };
    println!("{said}: {} secrets ({}).", secrets.len(), secrets.join(", "));
    if !second_factors.is_empty() {
        println!("Two-step verification to set up again: {}.", second_factors.join(", "));
    }
    if !passwords.is_empty() {
        println!("Passwords that can no longer be verified: {}.", passwords.join(", "));
        println!("Let one in with `skyrack admin reset-password`; passwords of the others are reset on the screen.");
    }
    if let Some(anchors) = anchors {
        println!("Anchors of the operation log that can no longer be verified were moved to {}.", anchors.display());
    }
    if !is_meant {
        println!(
            "Nothing was changed. If there is a copy of the key, put it back instead; else repeat this with --yes."
        );
    }
    Ok(())
}

async fn rebuild_catalogue(config: &Config, folder: &Path, is_meant: bool) -> anyhow::Result<()> {
    let (_alone, _out) = (Alone::lock(config)?, alone::keep_out(config).await?);
    let db = boot::beside(config).await?;
    let told = catalogue::rebuild(&db, config, &Clock::default(), folder, is_meant).await?;
    db.close().await?;
    let Rebuilt { is_new_node, repos, copies, packages, known, foreign, left_out } = told;
    let said = if is_meant { "Written" } else { "This would be written" };
    println!(
        "{said}: {repos} repositories, {copies} backups, {packages} files of packages. In the books already: {known} backups."
    );
    if is_new_node {
        println!("The node was in no book: name the agents that reach it, and its city, under Storage management.");
    }
    if foreign > 0 {
        println!("Snapshots that are no backups of a phone, and are left alone: {foreign}.");
    }
    for line in left_out {
        println!("Left out: {line}");
    }
    println!(
        "{}",
        if is_meant {
            "Verify the backups that phones are to live by (Backup management)."
        } else {
            "Nothing was changed. Repeat this with --yes to write it."
        }
    );
    Ok(())
}

async fn seed(config: Config, customers: u32, cards: u32) -> anyhow::Result<()> {
    let clock = Clock::default();
    // Millions of rows beside a console, which knows nothing of them, and without the fence of its writes.
    let (_alone, _out) = (Alone::lock(&config)?, alone::keep_out(&config).await?);
    let (db, _) = boot::open(&config, &clock, None, boot::show).await?;
    let app = open(config, db, clock, domains::all()).await?;
    let started = std::time::Instant::now();
    let filled = demo::fill(&app, customers, cards).await?;
    app.db.clone().close().await?;
    anyhow::ensure!(filled, "the database holds data already; only an empty one is filled");
    println!(
        "The demo company has {customers} client users and {cards} cards ({:.1} s).",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

async fn administer(command: AdminCommand) -> anyhow::Result<()> {
    let (AdminCommand::Create(args) | AdminCommand::ResetPassword(args)) = &command;
    let config = Config::load(args.common.config.clone().as_ref(), args)?;
    let clock = Clock::default();
    // It has to work while a console is active: somebody is locked out of it. What it writes is one transaction that is
    // right whoever is active, and line of the chained log included; schema and menu are left to the console then.
    let alone = alone::locks(&config).await?;
    let db = match &alone {
        Some(_) => boot::open(&config, &clock, None, boot::show).await?.0,
        None => boot::beside(&config).await?,
    };
    let chosen = match &command {
        AdminCommand::Create(args) => admin::create(&db, &clock, &args.username).await?,
        AdminCommand::ResetPassword(args) => admin::reset_password(&db, &clock, &args.username).await?,
    };
    db.close().await?;
    if chosen.is_made_up {
        println!(
            "{}   one-time password: {}   (shown once; it must be changed at the first sign-in)",
            args.username, chosen.password
        );
    } else {
        println!("{} now has the password from SKYRACK_ADMIN_PASSWORD.", args.username);
    }
    Ok(())
}

fn start_log(config: &Config) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(&config.log).context("configuration: log")?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // What can not be logged, on a full disk say, must not break the request that it is about.
        .log_internal_errors(false);
    match config.log_format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
