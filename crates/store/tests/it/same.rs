//! What every store does.

use std::time::Duration;

use bytes::Bytes;
use store::{Kind, Listed, Store};

fn names(store: &dyn Store, folder: &str, deep: bool) -> Vec<(String, u64)> {
    let mut found: Vec<_> =
        store.list(folder, deep).unwrap().into_iter().map(|Listed { name, size }| (name, size)).collect();
    found.sort_unstable();
    found
}

/// Writes, lists, reads and removes.
pub fn judge(store: &dyn Store) {
    assert!(names(store, "", true).is_empty() && names(store, "data", true).is_empty());
    // Bytes that a text transfer would change, in several parts, larger than any buffer.
    let large: Vec<u8> = (0..1_500_000_u32).map(|n| (n % 251) as u8).chain(*b"\r\n\n\r\xff\xfe").collect();
    let parts = [Bytes::from(large[..700_000].to_vec()), Bytes::from(large[700_000..].to_vec())];
    store.write("data/ab/pack1", &parts).unwrap();
    store.write("data/cd/pack2", &[Bytes::from_static(b"small")]).unwrap();
    store.write("config", &[Bytes::from_static(b"c")]).unwrap();
    assert_eq!(names(store, "", false), [("config".to_owned(), 1)]);
    let packs = [("ab/pack1".to_owned(), large.len() as u64), ("cd/pack2".to_owned(), 5)];
    assert_eq!(names(store, "data", true), packs);
    assert_eq!(names(store, "data/cd", false), [("pack2".to_owned(), 5)]);
    assert!(names(store, "data", false).is_empty(), "folders are no files");

    assert!(store.read("data/ab/pack1").unwrap() == large);
    assert_eq!(store.read_part("data/ab/pack1", 699_990, 20).unwrap(), large[699_990..700_010]);
    assert_eq!(store.read_part("data/cd/pack2", 3, 3).unwrap_err().kind, Kind::Broken, "beyond its end");
    for missing in ["data/cd/pack3", "data/xx/pack3", "nothing"] {
        assert_eq!(store.read(missing).unwrap_err().kind, Kind::Missing, "{missing}");
    }
    // A retry whose first answer was lost.
    store.write("data/cd/pack2", &[Bytes::from_static(b"small")]).unwrap();
    assert_eq!(names(store, "data", true), packs);

    let things = |folder| {
        let mut found = store.things_in(folder, 9).unwrap();
        found.sort_unstable();
        found
    };
    assert_eq!(
        (things(""), things("data"), things("nothing")),
        (vec!["config".to_owned(), "data".to_owned()], vec!["ab".to_owned(), "cd".to_owned()], Vec::new(),)
    );
    assert_eq!(store.things_in("", 1).unwrap().len(), 1);
    let patience = Duration::from_mins(1);
    assert_eq!(store.used_in("data", patience).unwrap(), Some(large.len() as u64 + 5));
    assert_eq!(store.used_in("nothing", patience).unwrap(), Some(0));

    store.remove("data/cd/pack2").unwrap();
    store.remove("data/cd/pack2").unwrap();
    store.remove("data/xx/pack9").unwrap();
    assert_eq!(names(store, "data", true), packs[..1]);
}
