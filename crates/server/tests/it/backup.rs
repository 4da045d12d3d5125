//! A backup contains everything, is the same for both engines, and an incomplete one is refused before anything is
//! written.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest;
use bytes::Bytes;
use courier::{Place, Stored};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::json;
use server::backup::{Archive, Target, backup, restore, tables};
use testapp::TestApp;
use testkit::{Engine, TestDb, db_test, phones};
use vault::{Source, Vault};

const LIST: &str = "/api/user/v5/user/getPageUserInfo";
/// Bytes of the trailer.
const TRAILER: usize = 48;

/// A company with two customers, two phones and an uploaded file, and its backups, sealed and plain.
struct Company {
    app: TestApp,
    file: Stored,
    sealed: PathBuf,
    plain: PathBuf,
}

impl Company {
    async fn new(db: TestDb) -> Self {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        for (name, phone) in [("张三丰", "13800000001"), ("李小龙", "13800000002")] {
            clerk.post("/api/user/v1/client-users", json!({ "name": name, "phone": phone })).await.data();
        }
        // A phone on a card and one that lives by its copy: rows that refer to each other in a circle.
        phones::furnish(&app.app.db).await;
        let rows = [phones::ON, ";", &phones::copy(1, 1, 1, 4), &phones::copy(2, 2, 1, 4)].concat();
        phones::run(&app.app.db, &(rows + "UPDATE phone SET kept_id = 2, is_blank = FALSE WHERE id = 2"))
            .await
            .unwrap();
        let file = app.app.objects.put("export", Bytes::from_static(b"what somebody uploaded")).await.unwrap();
        let (sealed, plain) = (app.db.folder().join("company.skyrack"), app.db.folder().join("company.zip"));
        let place = app.app.config.object_place();
        backup(&app.app.db, &place, &sealed, Some(&app.app.vault), UtcTime(0)).await.unwrap();
        backup(&app.app.db, &place, &plain, None, UtcTime(0)).await.unwrap();
        Self { app, file, sealed, plain }
    }

    fn open(&self, path: &Path) -> anyhow::Result<Archive> {
        let mut archive = Archive::open(path, || Ok(self.app.app.vault.clone()))?;
        archive.check()?;
        Ok(archive)
    }

    /// The backup `path` with something done to its bytes.
    fn changed(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = std::fs::read(path).unwrap();
        change(&mut bytes);
        let changed = self.app.db.folder().join("changed");
        std::fs::write(&changed, bytes).unwrap();
        changed
    }

    /// Why `path` is not restored.
    fn refusal(&self, path: &Path) -> String {
        format!("{:#}", self.open(path).err().unwrap_or_else(|| panic!("{} was taken for whole", path.display())))
    }
}

/// A new trailer, as somebody writes it who knows how it is made.
fn seal_anew(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() - TRAILER);
    let hash = digest::digest(&digest::SHA256, bytes);
    let length = (bytes.len() as u64).to_be_bytes();
    bytes.extend_from_slice(hash.as_ref());
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(b"SKYRKEND");
}

fn target(db: &TestDb) -> Target {
    Target { url: db.url().to_owned(), objects: Place::Folder(db.folder().join("objects")) }
}

/// Files below `folder`, without those that a test put there itself.
fn left_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().display().to_string()).collect();
    names.sort_unstable();
    names
}

async fn count(db: &TestDb, table: &str) -> i64 {
    let statement = Statement::from_string(db.backend(), format!("SELECT CAST(count(*) AS BIGINT) AS n FROM {table}"));
    db.read().query_one_raw(statement).await.unwrap().unwrap().try_get("", "n").unwrap()
}

db_test! {
    async fn a_backup_restores_on_either_engine(db) {
        let company = Company::new(db).await;
        for path in [&company.sealed, &company.plain] {
            for engine in [Engine::Sqlite, Engine::Postgres] {
                let Some(fresh) = TestDb::fresh(engine).await else { continue };
                fresh.close().await;
                let mut archive = company.open(path).unwrap();
                let restored = restore(&mut archive, &target(&fresh)).await.unwrap();
                assert_eq!((restored.rows, restored.files, restored.log), (archive.manifest().rows(), 1, Ok(2)));
                // The master key is not in a backup: it is brought along by itself.
                std::fs::copy(company.app.db.folder().join("master.key"), fresh.folder().join("master.key")).unwrap();
                let again = TestApp::new(fresh.opened().await).await;
                let other = again.operator("other", &["clientUser:list", "clientUser:create"]).await;
                let page = other.post(LIST, json!({ "keyWord": "小龙" })).await.data();
                assert_eq!((&page["total"], &page["list"][0]["phone"]), (&json!(1), &json!("13800000002")));
                let next = other.post("/api/user/v1/client-users", json!({ "name": "新人" })).await.data();
                assert_eq!(next["id"], 3, "the next id follows the restored ones");
                let file = again.app.objects.read(&company.file.key, 100).await.unwrap();
                assert_eq!(file, "what somebody uploaded");
                let ends = phones::run(&again.app.db, "UPDATE placement SET role = 3 WHERE id = 1").await;
                assert!(ends.is_err(), "a restored phone holds its card as before");
            }
        }
    }

    async fn every_flipped_bit_is_found(db) {
        let company = Company::new(db).await;
        for path in [&company.sealed, &company.plain] {
            company.open(path).unwrap();
            let bytes = std::fs::read(path).unwrap();
            let length = bytes.len();
            // Everywhere, the first and the last bytes, and the name of an uploaded file where it is in clear.
            let name = company.file.key.as_str().as_bytes();
            let names = bytes.windows(name.len()).enumerate().filter(|(_, part)| *part == name).map(|(at, _)| at + 9);
            let places = (0..100).map(|n| n * length / 100).chain(0..20).chain(length - 60..length).chain(names);
            for at in places {
                let changed = company.changed(path, |bytes| bytes[at] ^= 1 << (at % 8));
                company.refusal(&changed);
            }
        }
    }

    async fn a_backup_that_is_none_or_not_all_of_it_is_told_in_words(db) {
        let company = Company::new(db).await;
        let (sealed, plain) = (&company.sealed, &company.plain);
        for (what, change) in [
            ("", Vec::new()),
            ("not a backup", b"a picture, perhaps, of some length or other, which is longer than a trailer".to_vec()),
        ] {
            let foreign = company.changed(sealed, |bytes| *bytes = change);
            let told = company.refusal(&foreign);
            assert!(told.contains("is not a backup of Skyrack"), "{what}: {told}");
        }
        for path in [sealed, plain] {
            let length = std::fs::metadata(path).unwrap().len() as usize;
            for kept in [20, length / 2, length - 1] {
                let told = company.refusal(&company.changed(path, |bytes| bytes.truncate(kept)));
                assert!(told.contains("cut off"), "{kept} of {length}: {told}");
            }
            let told = company.refusal(&company.changed(path, |bytes| bytes.splice(300..400, []).for_each(drop)));
            assert!(told.contains("bytes instead of"), "{told}");
        }
        let told = company.refusal(&company.changed(sealed, |bytes| {
            let at = bytes.windows(10).position(|part| part == b"\"format\":2").unwrap();
            bytes[at + 9] = b'3';
            seal_anew(bytes);
        }));
        assert!(told.contains("made by a newer version, Skyrack") && told.contains("update first"), "{told}");
        assert!(company.refusal(Path::new("/no/such/file")).contains("cannot read"));
        assert!(company.refusal(company.app.db.folder()).contains("is not a file"));
    }

    async fn another_master_key_is_told_from_a_changed_byte(db) {
        let company = Company::new(db).await;
        let elsewhere = tempfile::tempdir().unwrap();
        let other = Vault::open(&Source::Made(elsewhere.path().join("master.key"))).unwrap();
        let told = Archive::open(&company.sealed, || Ok(other)).err().map(|why| format!("{why:#}")).unwrap();
        assert!(told.contains("another master key 1") && told.contains("bring the master key file"), "{told}");
        assert!(!told.contains("damaged"), "{told}");

        // Somebody who can make a trailer cannot make the seal.
        let told = company.refusal(&company.changed(&company.sealed, |bytes| {
            let at = bytes.len() / 2;
            bytes[at] ^= 1;
            seal_anew(bytes);
        }));
        assert!(told.contains("does not open: it was changed"), "{told}");
        let told = company.refusal(&company.changed(&company.sealed, |bytes| {
            let at = bytes.windows(8).position(|part| part == b"\"madeAt\"").unwrap();
            // The last digit of the year.
            bytes[at + 13] = b'1';
            seal_anew(bytes);
        }));
        assert!(told.contains("does not open: it was changed"), "the header belongs to the seal: {told}");
    }

    async fn a_missing_or_foreign_file_is_named(db) {
        let company = Company::new(db).await;
        let key = company.file.key.as_str().to_owned();
        for (left_out, told) in [
            (format!("objects/{key}"), format!("file {key} is missing")),
            ("tables/client_user.jsonl".to_owned(), "table client_user is missing".to_owned()),
            ("manifest.json".to_owned(), "no list of what is in it".to_owned()),
        ] {
            let packed_anew = company.changed(&company.plain, |bytes| *bytes = packed_without(bytes, &left_out));
            let found = company.refusal(&packed_anew);
            assert!(found.contains(&told), "{left_out}: {found}");
            let with_trailer = company.changed(&packed_anew, |bytes| {
                bytes.extend([0; TRAILER]);
                seal_anew(bytes);
            });
            let found = company.refusal(&with_trailer);
            assert!(found.contains(&told), "{left_out}: {found}");
        }
        let found = company.refusal(&company.changed(&company.plain, |bytes| {
            *bytes = packed_without(bytes, "");
            let mut zip = zip::ZipWriter::new_append(std::io::Cursor::new(std::mem::take(bytes))).unwrap();
            zip.start_file("objects/../../etc/passwd", zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(b"root").unwrap();
            *bytes = zip.finish().unwrap().into_inner();
        }));
        assert!(found.contains("objects/../../etc/passwd is in it, but not in its manifest"), "{found}");
    }

    async fn a_refused_restore_leaves_nothing(db) {
        let company = Company::new(db).await;
        let mut archive = company.open(&company.sealed).unwrap();
        let full = restore(&mut archive, &target(&company.app.db)).await.unwrap_err().to_string();
        assert!(full.contains("not empty"), "{full}");
        assert_eq!(count(&company.app.db, "client_user").await, 2);

        // A row that the emptiness check does not know: the counts differ in the end.
        if let Some(fresh) = TestDb::fresh(Engine::Postgres).await {
            let row = "INSERT INTO kept_count (list, block, cell, n) VALUES (9, -1, 0, 1)";
            let tx = fresh.begin_write().await.unwrap();
            tx.execute_unprepared(row).await.unwrap();
            tx.commit().await.unwrap();
            let refused = format!("{:#}", restore(&mut archive, &target(&fresh)).await.unwrap_err());
            assert!(refused.contains("kept_count"), "{refused}");
            assert_eq!(count(&fresh, "operator").await, 0);
            assert_eq!(left_in(fresh.folder()), Vec::<String>::new());
        }

        // A file stands where a folder has to be: noticed when the rows are there and files are put in place.
        let folder = tempfile::tempdir().unwrap();
        let objects = folder.path().join("objects");
        std::fs::create_dir(&objects).unwrap();
        std::fs::write(objects.join("export"), "in the way").unwrap();
        let url = format!("sqlite:{}", folder.path().join("new.db").display());
        let target = Target { url, objects: Place::Folder(objects.clone()) };
        restore(&mut archive, &target).await.unwrap_err();
        assert_eq!((left_in(folder.path()), left_in(&objects)), (vec!["objects".to_owned()], vec!["export".to_owned()]));

        std::fs::remove_file(objects.join("export")).unwrap();
        restore(&mut archive, &target).await.unwrap();
        assert_eq!(left_in(folder.path()), ["new.db", "objects"]);
        let mode = std::fs::metadata(folder.path().join("new.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    async fn a_restore_that_was_killed_is_run_again(db) {
        let company = Company::new(db).await;
        let mut archive = company.open(&company.sealed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let objects = folder.path().join("objects");
        // Killed while rows were put aside, and killed between the two renames.
        std::fs::write(folder.path().join("new.db.restoring"), "half a database").unwrap();
        std::fs::write(folder.path().join("new.db.restoring-wal"), "half a log").unwrap();
        std::fs::create_dir_all(objects.join(".restoring/export")).unwrap();
        std::fs::write(objects.join(".restoring").join(company.file.key.as_str()), "half a file").unwrap();
        std::fs::create_dir_all(objects.join("export")).unwrap();
        std::fs::write(objects.join(company.file.key.as_str()), "what somebody uploaded").unwrap();
        let url = format!("sqlite:{}", folder.path().join("new.db").display());
        restore(&mut archive, &Target { url, objects: Place::Folder(objects.clone()) }).await.unwrap();
        assert_eq!((left_in(folder.path()), left_in(&objects)), (vec!["new.db".into(), "objects".into()], vec!["export".into()]));
        assert_eq!(std::fs::read(objects.join(company.file.key.as_str())).unwrap(), b"what somebody uploaded");
    }

    async fn a_backup_says_nothing_to_whoever_finds_it(db) {
        let company = Company::new(db).await;
        for path in [&company.sealed, &company.plain] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let bytes = std::fs::read(&company.sealed).unwrap();
        for word in ["client_user", "what somebody uploaded", company.file.key.as_str(), "manifest"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{word} is in clear");
        }
        let place = company.app.app.config.object_place();
        let again = backup(&company.app.app.db, &place, &company.sealed, None, UtcTime(0)).await;
        assert!(again.unwrap_err().to_string().contains("never overwrites"));
    }

    async fn a_backup_names_files_that_should_be_there(db) {
        let company = Company::new(db).await;
        let gone = "import/0199c5a0-0000-7000-8000-000000000000";
        let tx = company.app.app.db.begin_write().await.unwrap();
        let row = format!(
            "INSERT INTO task (id, kind, title, payload, state, pool, priority, attempt, tries, max_attempts, run_after, \
                 cancel_requested, done, created_by_name, created_at, result_key) \
             VALUES ('t', 'k', '{{}}', '{{}}', 3, 1, 0, 1, 1, 1, 0, FALSE, 0, '', 0, '{gone}')"
        );
        tx.execute_unprepared(&row).await.unwrap();
        tx.commit().await.unwrap();
        let place = company.app.app.config.object_place();
        let made = backup(&company.app.app.db, &place, &company.app.db.folder().join("b"), None, UtcTime(0)).await.unwrap();
        assert_eq!(made.missing, [gone]);
    }

    async fn every_table_is_backed_up_or_left_out_on_purpose(db) {
        let backend = db.backend();
        let sql = if backend == DbBackend::Sqlite {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        } else {
            "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        };
        for row in db.read().query_all_raw(Statement::from_string(backend, sql)).await.unwrap() {
            let name: String = row.try_get("", "name").unwrap();
            let known = tables().any(|table| table.name == name || table.order.is_none() && name.starts_with(table.name));
            assert!(known, "{name} is in no list of backup/tables.rs");
        }
    }
}

/// The zip in `bytes` without one of its files, as a packing program writes it.
fn packed_without(bytes: &[u8], left_out: &str) -> Vec<u8> {
    let mut from = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut to = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for at in 0..from.len() {
        let entry = from.by_index_raw(at).unwrap();
        if entry.name().unwrap() != left_out {
            to.raw_copy_file(entry).unwrap();
        }
    }
    to.finish().unwrap().into_inner()
}
