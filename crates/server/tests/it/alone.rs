//! One server at a time: on a data directory, on a database, whichever name it has.

use std::net::SocketAddr;

use base::config::Config;
use server::alone::Alone;

/// Where a console would listen.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8123);

/// Why a process with another one's data is refused.
fn refusal(config: &Config) -> String {
    Alone::lock(config).err().map(|error| format!("{error:#}")).unwrap_or_default()
}

#[test]
fn a_database_has_one_server_whatever_its_folders_and_links() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let at = |folder: &str, database: &str| Config {
        data_dir: root.path().join(folder),
        database: format!("sqlite:{}", root.path().join(database).display()),
        ..Config::default()
    };
    let first = Alone::lock(&at("a", "company.db"))?;
    let is_told = |refusal: &str| {
        let words = ["another server uses", "stop it first", "process ", "company.db", "/a,"];
        words.iter().all(|word| refusal.contains(word))
    };
    let told = refusal(&at("b", "company.db"));
    assert!(is_told(&told) && told.contains("a console that is starting, or a command"), "{told}");
    assert!(!root.path().join("b").exists(), "who is refused leaves nothing");

    first.serves_at(&at("a", "company.db"), LISTEN);
    std::os::unix::fs::symlink(root.path().join("company.db"), root.path().join("link.db"))?;
    std::fs::create_dir(root.path().join("far"))?;
    std::fs::hard_link(root.path().join("company.db"), root.path().join("far/hard.db"))?;
    for name in ["company.db", "link.db", "a/../company.db", "far/hard.db"] {
        let told = refusal(&at("b", name));
        assert!(is_told(&told) && told.contains("the console at http://127.0.0.1:8123/"), "{name}: {told}");
    }
    assert_eq!(std::fs::read_dir(root.path().join("far"))?.count(), 1, "no lock next to the link");
    std::fs::remove_file(root.path().join("company.db.lock"))?;
    let told = refusal(&at("b", "company.db"));
    assert!(is_told(&told), "without its lock file it is the same database: {told}");
    let told = refusal(&at("a", "other.db"));
    assert!(is_told(&told) && !told.contains("other.db"), "a data directory has one server too: {told}");

    let other = Alone::lock(&at("b", "other.db"))?;
    let console = |alone: &Alone, config: &Config| alone.console(config, LISTEN).map(|console| console.holder);
    let before = console(&first, &at("a", "company.db"))?;
    assert_ne!(console(&other, &at("b", "other.db"))?, before);
    drop(first);
    let again = Alone::lock(&at("a", "third.db"))?;
    assert_eq!(console(&again, &at("a", "third.db"))?, before, "it is the same installation again");
    Ok(())
}

#[test]
fn a_command_that_did_nothing_takes_its_locks_away() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let at = |folder: &str| Config { data_dir: root.path().join(folder), ..Config::default() };
    Alone::lock(&at("new"))?.undo();
    assert!(!root.path().join("new").exists());
    std::fs::create_dir(root.path().join("known"))?;
    std::fs::write(root.path().join("known/skyrack.db"), "")?;
    Alone::lock(&at("known"))?.undo();
    let left: Vec<_> = std::fs::read_dir(root.path().join("known"))?.flatten().map(|one| one.file_name()).collect();
    assert_eq!(left, ["skyrack.db"]);
    Ok(())
}

#[test]
fn a_folder_of_files_is_known_again() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let of = |folder: &str| -> anyhow::Result<String> {
        // The lock of a SQLite file lasts as long as the process.
        let database = "postgres://nobody@127.0.0.1:1/none".to_owned();
        let config = Config { data_dir: root.path().join(folder), database, ..Config::default() };
        Ok(Alone::lock(&config)?.console(&config, LISTEN)?.files)
    };
    let first = of("one")?;
    assert_eq!(of("one")?, first);
    assert_ne!(of("two")?, first);
    std::fs::create_dir(root.path().join("far"))?;
    std::os::unix::fs::symlink(root.path().join("one/objects"), root.path().join("far/objects"))?;
    assert_eq!(of("far")?, first, "a folder that both see is one place");
    Ok(())
}
