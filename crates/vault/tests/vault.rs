//! The vault: sealed values can be decrypted in their place, with their key, and nowhere else.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::os::unix::fs::PermissionsExt as _;

use db::sql::statement;
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait as _;
use vault::{KeyError, MasterKeys, Secret, Source, Unsealable, Vault, store};

const CANARY: &str = "canary-5f1e-do-not-show";

fn secret() -> Secret {
    Secret::from(CANARY.to_owned())
}

fn made(folder: &std::path::Path) -> Source {
    Source::Made(folder.join("master.key"))
}

#[test]
fn a_value_opens_only_in_its_place_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::open(&made(folder.path())).unwrap();
    let sealed = vault.seal("operator.totp", "7", &secret());

    assert_eq!(vault.unseal("operator.totp", "7", &sealed).unwrap(), secret());
    assert_eq!(vault.unseal("operator.totp", "8", &sealed), Err(Unsealable::Tampered));
    assert_eq!(vault.unseal("operator.mail", "7", &sealed), Err(Unsealable::Tampered));
    assert_eq!(vault.unseal("operator.totp7", "", &sealed), Err(Unsealable::Tampered));
    for length in 0..sealed.len() {
        assert!(vault.unseal("operator.totp", "7", &sealed[..length]).is_err(), "cut to {length}");
    }
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(vault.unseal("operator.totp", "7", &changed).is_err(), "changed at {at}");
    }
    assert_ne!(vault.seal("operator.totp", "7", &secret()), sealed, "no two sealings are alike");
    assert!(!sealed.windows(CANARY.len()).any(|bytes| bytes == CANARY.as_bytes()));
}

#[test]
fn a_secret_does_not_show_itself() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::open(&made(folder.path())).unwrap();
    let key = std::fs::read_to_string(folder.path().join("master.key")).unwrap();
    let key = key.trim().split_once(':').unwrap().1.to_owned();
    let given = Source::Given(key.clone().into());

    let shown = format!("{:?} {vault:?} {given:?} {:?}", secret(), MasterKeys::open(&given).unwrap());
    assert!(!shown.contains(CANARY) && !shown.contains(&key), "{shown}");
    let fingerprint = vault.fingerprint("mail", &secret());
    assert_eq!(fingerprint.len(), 8);
    assert_eq!(fingerprint, vault.fingerprint("mail", &secret()));
    assert_ne!(fingerprint, vault.fingerprint("sms", &secret()));
}

#[test]
fn the_key_file_is_made_once_and_refused_when_others_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("master.key");
    let sealed = Vault::open(&Source::Made(path.clone())).unwrap().seal("a", "b", &secret());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let again = Vault::open(&Source::Made(path.clone())).unwrap();
    assert_eq!(again.unseal("a", "b", &sealed).unwrap(), secret());

    for mode in [0o640, 0o604, 0o660] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(Vault::open(&Source::Made(path.clone())), Err(KeyError::Exposed { .. })), "{mode:o}");
    }
    let missing = Source::File(folder.path().join("none"));
    assert!(matches!(Vault::open(&missing), Err(KeyError::File { .. })));
}

#[test]
fn a_malformed_key_is_refused() {
    for text in ["", "short", "1:", "0:AAAA", "x:AAAA", "AAAA", "1:!!!!"] {
        assert!(matches!(Vault::open(&Source::Given(text.to_owned().into())), Err(KeyError::Malformed)), "{text}");
    }
}

#[test]
fn another_key_of_the_same_id_opens_nothing() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sealed = Vault::open(&made(one.path())).unwrap().seal("a", "b", &secret());
    let other = Vault::open(&made(other.path())).unwrap();
    assert_eq!(other.unseal("a", "b", &sealed), Err(Unsealable::Tampered));
}

testkit::db_test! {
    async fn a_stored_secret_is_seen_only_as_a_fingerprint(db) {
        let vault = Vault::open(&made(db.folder())).unwrap();
        assert_eq!(store::view(db.read(), "mail.password").await.unwrap(), vault::SecretView::default());

        let tx = db.begin_write().await.unwrap();
        let view = store::put(&tx, &vault, "mail.password", &secret(), "wang", UtcTime(5)).await.unwrap();
        tx.commit().await.unwrap();

        assert_eq!(store::view(db.read(), "mail.password").await.unwrap(), view);
        assert_eq!(store::get(db.read(), &vault, "mail.password").await.unwrap(), Some(secret()));
        assert_eq!(store::get(db.read(), &vault, "other").await.unwrap(), None);

        // Moved to another row, it cannot be decrypted.
        let tx = db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE secret SET name = 'moved'").await.unwrap();
        tx.commit().await.unwrap();
        assert!(matches!(store::get(db.read(), &vault, "moved").await, Err(store::StoreError::Sealed { .. })));
        assert!(store::check(&db, &vault).await.is_err());

        let tx = db.begin_write().await.unwrap();
        assert!(store::remove(&tx, "moved").await.unwrap());
        assert!(!store::remove(&tx, "moved").await.unwrap());
        tx.commit().await.unwrap();
        store::check(&db, &vault).await.unwrap();
    }

    async fn a_new_master_key_takes_over_and_the_old_one_is_not_needed_any_more(db) {
        let source = made(db.folder());
        let old = Vault::open(&source).unwrap();
        let tx = db.begin_write().await.unwrap();
        for n in 0..250 {
            store::put(&tx, &old, &format!("s{n}"), &Secret::from(format!("value {n}")), "wang", UtcTime(5)).await.unwrap();
        }
        tx.commit().await.unwrap();

        assert_eq!(MasterKeys::add(&source).unwrap(), 2);
        let new = Vault::open(&source).unwrap();
        assert_eq!((new.key_id(), store::rotate(&db, &new).await.unwrap()), (2, 250));
        assert_eq!(store::rotate(&db, &new).await.unwrap(), 0);
        for n in [0, 137, 249] {
            let got = store::get(db.read(), &new, &format!("s{n}")).await.unwrap().unwrap();
            assert_eq!(got.expose_text(), Some(format!("value {n}").as_str()));
        }

        let text = std::fs::read_to_string(db.folder().join("master.key")).unwrap();
        let newest = text.lines().find(|line| line.starts_with("2:")).unwrap();
        let alone = Vault::open(&Source::Given(newest.to_owned().into())).unwrap();
        store::check(&db, &alone).await.unwrap();
        assert!(matches!(store::get(db.read(), &old, "s0").await, Err(store::StoreError::Sealed { cause: Unsealable::UnknownKey(2), .. })));
    }

    async fn no_byte_of_a_secret_is_in_the_database(db) {
        let vault = Vault::open(&made(db.folder())).unwrap();
        let tx = db.begin_write().await.unwrap();
        store::put(&tx, &vault, "mail.password", &secret(), "wang", UtcTime(5)).await.unwrap();
        tx.commit().await.unwrap();

        let text = "SELECT name, sealed, fingerprint FROM secret";
        let row = db.read().query_one_raw(statement(db.backend(), text, [])).await.unwrap().unwrap();
        let sealed: Vec<u8> = row.try_get("", "sealed").unwrap();
        assert!(!sealed.windows(6).any(|bytes| CANARY.as_bytes().windows(6).any(|part| part == bytes)));
        for file in std::fs::read_dir(db.folder()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!bytes.windows(CANARY.len()).any(|bytes| bytes == CANARY.as_bytes()));
        }
    }
}
