//! What is mounted on a card: a list of its files stays on one file system, and says nothing of the others.
//!
//! Android itself mounts this below `/data`, and a copy lacks nothing by it; whatever else is mounted stands in its way.
//!
//! | place | since | why |
//! |---|---|---|
//! | `user/0` | 11 | the folder of the owner's apps once more (`mount none /data/data /data/user/0 bind rec` in init.rc): a list goes into it, and it counts once |
//! | below what a copy leaves out whatever it is (`adb/modules`, `incremental/*`, ...) | | nothing of it is kept anyway. What a wipe does not see may be a tenant's all the same: for it these are as strange as any |
//!
//! A package that was streamed is bound to `app/*` from `incremental/*`: it is not among these, since no list goes into it and
//! it could not be saved. What shows users' files (`/storage`, `/mnt`) and the data of apps (`/data_mirror`) once more is not
//! below `/data`, nor are `/apex` and images of `obb` files.

use crate::clean::ROOT;

/// Where a card's own storage is extended by a medium that was adopted: apps that were moved there have their data there.
const ADOPTED: &str = "/mnt/expand/";

/// Something that is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    source: String,
    /// Below [`ROOT`], or a whole path elsewhere.
    place: String,
    kind: String,
}

impl Mount {
    /// Whether it is of the same file system.
    fn is_as(&self, other: &Self) -> bool {
        self.source == other.source && self.kind == other.kind
    }

    /// Whether it is the folder of the owner's apps once more.
    fn is_apps(&self, all: &[Self]) -> bool {
        self.place == "user/0" && all.iter().any(|one| one.place.is_empty() && one.is_as(self))
    }
}

/// What is mounted where a card keeps what is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// What `/proc/mounts` says; none if it is something else.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let all: Option<Vec<Mount>> = text.lines().map(mount).collect();
        let is_ours = |it: &Mount| !it.place.starts_with('/') || it.place.starts_with(ADOPTED);
        all.filter(|all| !all.is_empty()).map(|all| Self(all.into_iter().filter(is_ours).collect()))
    }

    /// Places of what is neither known nor `left_out` by a copy whatever is there: below [`ROOT`], or whole paths elsewhere.
    pub fn strange(&self, left_out: fn(&str) -> bool) -> impl Iterator<Item = &str> {
        let below = self.0.iter().filter(|it| !it.place.is_empty() && !it.is_apps(&self.0));
        below.filter(move |it| !left_out(&it.place)).map(|it| it.place.as_str())
    }
}

/// What people are told of such a place.
#[must_use]
pub fn told(place: &str) -> String {
    let place = if place.starts_with('/') { place.to_owned() } else { format!("{ROOT}/{place}") };
    format!("{place}: something is mounted there, and was not listed")
}

/// A line: source, place, kind, options, two numbers.
fn mount(line: &str) -> Option<Mount> {
    let mut words = line.split(' ');
    let (source, place, kind) = (words.next()?, plain(words.next()?), words.next()?);
    words.next()?;
    let below = match place.strip_prefix(ROOT) {
        Some("") => Some(""),
        Some(below) => below.strip_prefix('/'),
        None => None,
    };
    let place = below.unwrap_or(&place).to_owned();
    Some(Mount { source: source.to_owned(), place, kind: kind.to_owned() })
}

/// A word as it was before the kernel escaped what ends words and lines (`mangle` in `fs/seq_file.c`).
fn plain(word: &str) -> String {
    word.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\043", "#")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::Mounts;

    const USUAL: &str = "/dev/block/dm-0 / ext4 ro,seclabel 0 0\n\
        /dev/block/dm-5 /data f2fs rw,lazytime 0 0\n\
        tmpfs /data_mirror tmpfs rw,mode=700 0 0\n\
        /dev/block/dm-5 /data_mirror/data_ce/null/0 f2fs rw 0 0\n\
        /data/media /mnt/runtime/default/emulated sdcardfs rw 0 0\n\
        /dev/fuse /storage/emulated fuse rw 0 0\n";

    fn strange(more: &str) -> Vec<String> {
        let mounts = Mounts::read(format!("{USUAL}{more}").as_bytes()).unwrap_or_default();
        mounts.strange(|place| place.starts_with("adb/")).map(str::to_owned).collect()
    }

    #[test]
    fn what_android_mounts_is_known() {
        for more in
            ["", "/dev/block/dm-5 /data/user/0 f2fs rw 0 0\n", "/dev/block/loop0 /data/adb/modules ext4 rw 0 0\n"]
        {
            assert!(strange(more).is_empty(), "{more}");
        }
    }

    #[test]
    fn what_nobody_knows_is_told() {
        for (more, places) in [
            ("/dev/block/loop0 /data/user/0 f2fs rw 0 0\n", vec!["user/0"]),
            ("/dev/block/dm-5 /data/user/10 f2fs rw 0 0\n", vec!["user/10"]),
            ("x /data/app/~~x==/com.game-y== incremental-fs rw 0 0\n", vec!["app/~~x==/com.game-y=="]),
            ("/dev/fuse /data/media/0/My\\040Films fuse rw 0 0\n", vec!["media/0/My Films"]),
            ("a /data/x\\134040y\\011\\012 overlay rw 0 0\n", vec!["x\\040y\t\n"]),
            ("/dev/block/vold/1 /mnt/expand/57f8f4bc ext4 rw 0 0\n", vec!["/mnt/expand/57f8f4bc"]),
            ("none /data/a tmpfs rw 0 0\nnone /data/b tmpfs rw 0 0\n", vec!["a", "b"]),
        ] {
            assert_eq!(strange(more), places, "{more}");
        }
    }

    #[test]
    fn what_is_no_list_of_mounts_is_refused() {
        for other in ["", "\n", "none /data tmpfs\n", "/dev/block/dm-5 /data f2fs rw 0 0\nrubbish\n"] {
            assert_eq!(Mounts::read(other.as_bytes()), None, "{other}");
        }
    }
}
