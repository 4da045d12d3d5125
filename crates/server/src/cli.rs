//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use kernel::clock::Clock;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::{Config, LogFormat};
use crate::domains::auth;
use crate::http::{openapi, serve};
use crate::work::Work;
use crate::{admin, backup, boot, demo, router};

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
    /// Write the whole company into one file, while the server runs.
    Backup(FileArgs),
    /// Fill an empty database from a backup, also one of the other engine.
    Restore(FileArgs),
    /// Fill an empty database with a small demo company and exit.
    Seed(SeedArgs),
    /// Let somebody in who can not sign in.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Make a new master key and wrap every secret with it. The server has to be stopped; the old key stays in the file
    /// for old backups.
    RotateKey(Common),
    /// Forget what was sealed with a master key that is lost, so that the server starts again. Says what that is, and does
    /// it with --yes. The server has to be stopped.
    ForgetSecrets(ForgetArgs),
    /// Run a room agent: it looks after the cards of one room for a console.
    Agent(agent::Flags),
    /// Run a simulated room: cards that speak ADB, BMCs that speak Redfish, and faults to switch on.
    Simulate(sim::Simulate),
    /// Print the OpenAPI document.
    Openapi,
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

#[derive(Debug, Args, Serialize)]
struct FileArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// The backup file.
    #[serde(skip)]
    file: PathBuf,
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
    /// Fill an empty database with a small demo company.
    #[arg(long)]
    #[serde(skip)]
    demo: bool,
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
struct SeedArgs {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// The demo company, which is what there is to seed.
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
    /// Make an operator who holds every permission.
    Create(AdminArgs),
    /// Give an operator a new password and enable the account; its sessions end.
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
    let cli = Cli::parse();
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
        Command::Openapi => {
            print!("{}", openapi::text(&router::document())?);
            Ok(())
        }
        Command::Agent(flags) => {
            start_log(&Config::default())?;
            runtime.block_on(agent::agent(flags, env!("CARGO_PKG_VERSION")))
        }
        Command::Simulate(flags) => runtime.block_on(sim::simulate(flags)),
        Command::Migrate(common) => {
            let config = Config::load(common.config.clone().as_ref(), common)?;
            runtime.block_on(async {
                let (db, _) = boot::open(&config, &Clock::default()).await?;
                Ok(db.close().await?)
            })
        }
        Command::Backup(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(async {
                let db = boot::connect(&config).await?;
                let made = backup::backup(&db, &config.data_dir, &args.file, Clock::default().now()).await?;
                println!("{}: {} rows and {} files", args.file.display(), made.rows(), made.files());
                println!("The master key is not in it; keep a copy of it elsewhere.");
                Ok(db.close().await?)
            })
        }
        Command::Restore(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(async {
                let db = boot::connect(&config).await?;
                boot::migrate(&db).await?;
                let read = backup::restore(&db, &config.data_dir, &args.file).await?;
                config.anchors().restored(&db, Clock::default().now()).await?;
                println!("restored {} rows and {} files", read.rows(), read.files());
                Ok(db.close().await?)
            })
        }
        Command::RotateKey(common) => {
            let config = Config::load(common.config.clone().as_ref(), common)?;
            runtime.block_on(async {
                let _alone = boot::lock(&config)?;
                let db = boot::connect(&config).await?;
                let (id, wrapped) = admin::rotate_key(&db, &config, &Clock::default()).await?;
                println!(
                    "Master key {id} seals from now on; {wrapped} secrets were wrapped anew. Keep a copy of the key file."
                );
                Ok(db.close().await?)
            })
        }
        Command::ForgetSecrets(args) => {
            let config = Config::load(args.common.config.clone().as_ref(), &args)?;
            runtime.block_on(forget_secrets(config, args.yes))
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
            runtime.block_on(start(config, args.demo))
        }
    }
}

async fn start(config: Config, demo: bool) -> anyhow::Result<()> {
    let clock = Clock::default();
    let _alone = boot::lock(&config)?;
    let (db, first) = boot::open(&config, &clock).await?;
    let app = App::new(config.clone(), db, clock).await?;
    if demo {
        let filled = demo::fill(&app, demo::CUSTOMERS, demo::CARDS).await?;
        anyhow::ensure!(
            filled || crate::domains::general::is_demo(&app).await?,
            "the database holds real data, and --demo never mixes with it: start without --demo, or name another --data-dir"
        );
        demo::room::found(&app).await?;
    }
    let router = router::build(&app)?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {}: is another program using the port?", config.listen))?;
    let scheme = if config.tls_cert.is_some() { "https" } else { "http" };
    println!("Skyrack is ready at {scheme}://{}/", listener.local_addr()?);
    tell_first_password(first);
    let work = Work::start(&app).await?;
    let keys = tokio::spawn(auth::keep_keys_ahead(app.clone()));
    let stop = CancellationToken::new();
    if demo {
        demo::room::live(&app, listener.local_addr()?, stop.clone()).await?;
    }
    tokio::spawn(stop_on_signal(app.clone(), stop.clone()));
    serve::serve(listener, router, &config, stop).await?;
    keys.abort();
    work.stop().await;
    app.db.clone().close().await?;
    tracing::info!("stopped");
    Ok(())
}

async fn forget_secrets(config: Config, is_meant: bool) -> anyhow::Result<()> {
    let _alone = boot::lock(&config)?;
    let db = boot::connect(&config).await?;
    let admin::Lost { secrets, second_factors, passwords } =
        admin::forget_secrets(&db, &config, &Clock::default(), is_meant).await?;
    db.close().await?;
    if secrets.is_empty() && second_factors.is_empty() {
        println!("Everything opens with the master key that is there; nothing has to be forgotten.");
        return Ok(());
    }
    let said = if is_meant { "Forgotten" } else { "This would be forgotten" };
    println!("{said}: {} secrets ({}).", secrets.len(), secrets.join(", "));
    if !second_factors.is_empty() {
        println!("Second factors, to be set up anew: {}.", second_factors.join(", "));
    }
    if !passwords.is_empty() {
        println!("Passwords that can not be checked any more: {}.", passwords.join(", "));
        println!("Let one in with `skyrack admin reset-password`; passwords of the others are reset on the screen.");
    }
    if !is_meant {
        println!(
            "Nothing was changed. If there is a copy of the key, put it back instead; else repeat this with --yes."
        );
    }
    Ok(())
}

async fn seed(config: Config, customers: u32, cards: u32) -> anyhow::Result<()> {
    let clock = Clock::default();
    let (db, first) = boot::open(&config, &clock).await?;
    let app = App::new(config, db, clock).await?;
    let started = std::time::Instant::now();
    let filled = demo::fill(&app, customers, cards).await?;
    app.db.clone().close().await?;
    anyhow::ensure!(filled, "the database holds data already; only an empty one is filled");
    println!(
        "The demo company has {customers} client users and {cards} cards ({:.1} s).",
        started.elapsed().as_secs_f64()
    );
    tell_first_password(first);
    Ok(())
}

async fn administer(command: AdminCommand) -> anyhow::Result<()> {
    let (AdminCommand::Create(args) | AdminCommand::ResetPassword(args)) = &command;
    let config = Config::load(args.common.config.clone().as_ref(), args)?;
    let clock = Clock::default();
    let (db, _) = boot::open(&config, &clock).await?;
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
        println!("{} has the password of SKYRACK_ADMIN_PASSWORD now.", args.username);
    }
    Ok(())
}

fn tell_first_password(first: boot::FirstStart) {
    if let Some(password) = first.password {
        println!(
            "First operator: admin   one-time password: {password}   (shown once; it must be changed at the first sign-in)"
        );
    }
}

async fn stop_on_signal(app: App, stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    tracing::info!("stopping: requests under way may finish");
    stop.cancel();
    // Streams have no end of their own that the server could wait for.
    app.events.close();
}

fn start_log(config: &Config) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(&config.log).context("configuration: log")?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
