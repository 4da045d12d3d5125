//! What the server stores is its user's alone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base::config::Config;
use server::modes::tighten;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_others_could_read_is_taken_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["skyrack.db", "skyrack.db-wal", "audit.anchor", "skyrack.lock"].map(|name| folder.path().join(name));
    for file in &files {
        fs::write(file, "").unwrap();
        set(file, 0o644);
    }
    fs::create_dir(folder.path().join("objects")).unwrap();
    set(&folder.path().join("objects"), 0o755);
    set(folder.path(), 0o755);
    tighten(&Config { data_dir: folder.path().to_owned(), ..Config::default() });
    assert_eq!(files.map(|file| mode(&file)), [0o600; 4]);
    assert_eq!([mode(folder.path()), mode(&folder.path().join("objects"))], [0o700; 2]);
}

#[test]
fn a_folder_of_everybodys_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path(), 0o1777);
    fs::write(folder.path().join("skyrack.db"), "").unwrap();
    set(&folder.path().join("skyrack.db"), 0o644);
    tighten(&Config { data_dir: folder.path().to_owned(), ..Config::default() });
    assert_eq!((mode(folder.path()), mode(&folder.path().join("skyrack.db"))), (0o1777, 0o600));
}
