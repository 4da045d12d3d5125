//! What else is known of packages that are not the image's: who signed them, which of Android's operations were set for them
//! (`appops`), and which have keys that are bound to the board. Where a card says nothing of it, a copy is made all the same.

use std::collections::{BTreeSet, HashMap};

use adb::{Card, Command};
use aws_lc_rs::digest;
use wire::copy::{MAX_SIGNERS, PackageData};

use super::ops;
use crate::listing;
use crate::refused::Refused;

/// Android's book of packages. `dumpsys package` tells 32 bits of each certificate and no more; this has the certificates
/// themselves, as text up to Android 11 and not from 12 on.
const BOOK: &str = "/data/system/packages.xml";
/// The keys of apps of the owner's, up to Android 11: a file each, which begins with the user that the app runs as.
const KEYS: &str = "/data/misc/keystore/user_0";
/// Where they lie from Android 12 on: in a database, which says nothing to a shell.
const NEWER_KEYS: &str = "/data/misc/keystore/persistent.sqlite";
/// Instead of names, where those cannot be told.
const UNKNOWN: &str = "?";

/// Fills in those of `packages` that are not the image's.
///
/// # Errors
/// The card does not answer.
pub async fn describe(card: &Card, packages: &mut [PackageData]) -> Result<(), Refused> {
    let names: Vec<&str> =
        packages.iter().filter(|package| package.is_own).map(|package| package.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let mut ops = ops::of(card, &names).await?;
    let script = format!("grep -E '<package |</package>|<cert |pastSigs' {BOOK} 2>/dev/null || :");
    let mut book = booked(&said(card, &Command::script(&script)).await?);
    let script = format!(
        "if [ -e {NEWER_KEYS} ]; then echo '{UNKNOWN}'; elif [ -d {KEYS} ]; then ls -1a {KEYS} 2>/dev/null || echo '{UNKNOWN}'; fi"
    );
    let holders = holders(&said(card, &Command::script(&script)).await?);
    for package in packages.iter_mut().filter(|package| package.is_own) {
        let Booked { uid, signers } = book.remove(&package.name).unwrap_or_default();
        package.signers = signers;
        package.ops = ops.remove(&package.name).unwrap_or_default();
        // The package manager of Android 7 does not say as whom it runs.
        let uid = if package.uid == 0 { uid } else { package.uid };
        package.has_keys = holders.as_ref().filter(|_| uid != 0).map(|uids| uids.contains(&uid));
    }
    Ok(())
}

async fn said(card: &Card, command: &Command) -> Result<String, Refused> {
    Ok(String::from_utf8_lossy(&listing::whole(card, command).await?).into_owned())
}

/// What Android's book has of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Booked {
    /// The user that it runs as; 0 if that is not told.
    uid: u32,
    /// Who signed it: the SHA-256 of each certificate.
    signers: Vec<String>,
}

/// Reads the book of packages (AOSP `Settings.writePackageLPr`, `PackageSignatures.writeCertsListXml`): a certificate is
/// written once, and has a number from then on.
fn booked(book: &str) -> HashMap<String, Booked> {
    let mut certificates: HashMap<&str, String> = HashMap::new();
    let mut packages: HashMap<&str, (u32, Vec<&str>)> = HashMap::new();
    // Where a tag is: in which package, among those that had signed it before.
    let (mut of, mut is_past) = (None, false);
    for tag in book.split('<').skip(1) {
        match tag.split([' ', '>', '/']).find(|word| !word.is_empty()) {
            Some("package") => {
                (of, is_past) = (attribute(tag, "name"), false);
                let uid = attribute(tag, "userId").or_else(|| attribute(tag, "sharedUserId"));
                if let Some(name) = of {
                    packages.insert(name, (uid.and_then(|uid| uid.parse().ok()).unwrap_or(0), Vec::new()));
                }
            }
            Some("pastSigs") => is_past = !tag.starts_with('/') && !tag.trim_end().ends_with("/>"),
            Some("cert") => {
                let Some(index) = attribute(tag, "index") else { continue };
                if let Some(certificate) = attribute(tag, "key").and_then(|key| hex::decode(key).ok()) {
                    let sum = hex::encode(digest::digest(&digest::SHA256, &certificate));
                    certificates.insert(index, sum);
                }
                if let (Some(name), false) = (of, is_past) {
                    packages.entry(name).or_default().1.push(index);
                }
            }
            Some(_) | None => {}
        }
    }
    let told = |indexes: Vec<&str>| {
        let sums = indexes.into_iter().filter_map(|index| certificates.get(index).cloned());
        sums.take(MAX_SIGNERS).collect()
    };
    let one =
        |(name, (uid, indexes)): (&str, (u32, Vec<&str>))| (name.to_owned(), Booked { uid, signers: told(indexes) });
    packages.into_iter().map(one).collect()
}

/// An attribute of a tag. No name of a package or certificate has anything in it that XML writes otherwise.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        let (before, after) = rest.split_once(&format!("{name}=\""))?;
        let (value, behind) = after.split_once('"')?;
        if before.ends_with(' ') {
            return Some(value);
        }
        rest = behind;
    }
}

/// The users with keys: `10061_USRPKEY_alias` is a pair of keys, `10061_USRSKEY_alias` a secret one. None if that is not
/// known.
fn holders(names: &str) -> Option<BTreeSet<u32>> {
    let mut uids = BTreeSet::new();
    for name in names.lines() {
        if name.trim() == UNKNOWN {
            return None;
        }
        let Some((uid, kind)) = name.split_once('_') else { continue };
        if kind.starts_with("USRPKEY_") || kind.starts_with("USRSKEY_") {
            uids.extend(uid.parse::<u32>().ok());
        }
    }
    Some(uids)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_lc_rs::digest;

    use super::{booked, holders};

    fn sum(certificate: &[u8]) -> String {
        hex::encode(digest::digest(&digest::SHA256, certificate))
    }

    #[test]
    fn a_certificate_is_told_once_and_meant_by_its_number_from_then_on() {
        let book = "    <package name=\"com.android.settings\" codePath=\"/system/priv-app/Settings\" sharedUserId=\"1000\">\n\
\x20           <cert index=\"0\" key=\"aa01\" />\n\
\x20   </package>\n\
\x20   <package name=\"com.game\" codePath=\"/data/app/com.game-1\" version=\"7\" userId=\"10061\">\n\
\x20           <cert index=\"1\" key=\"BB02\" />\n\
\x20           <pastSigs count=\"2\" schemeVersion=\"3\">\n\
\x20               <cert index=\"2\" key=\"cc03\" flags=\"23\" />\n\
\x20               <cert index=\"1\" flags=\"23\" />\n\
\x20           </pastSigs>\n\
\x20   </package>\n\
\x20   <package name=\"com.shop\"><sigs count=\"2\"><cert index=\"2\" /><cert index=\"0\" /></sigs></package>\n\
\x20           <cert index=\"0\" />\n\
\x20   <package name=\"com.odd\">\n            <cert index=\"9\" /><cert key=\"zz\" index=\"8\" />\n    </package>\n";
        let found = booked(book);
        let of = |name: &str| found.get(name).map(|it| it.signers.clone()).unwrap_or_default();
        assert_eq!(
            (found["com.android.settings"].uid, found["com.game"].uid, found["com.shop"].uid),
            (1000, 10_061, 0)
        );
        assert_eq!(of("com.android.settings"), [sum(&[0xaa, 1])]);
        assert_eq!(of("com.game"), [sum(&[0xbb, 2])], "who had signed it before is not who signs it");
        assert_eq!(of("com.shop"), [sum(&[0xcc, 3]), sum(&[0xaa, 1])]);
        assert!(of("com.odd").is_empty() && booked("ABX\0\u{1}package name").is_empty());
    }

    #[test]
    fn who_has_keys_is_known_up_to_android_11() {
        let names = ".\n..\n.masterkey\n.10061_chr_USRPKEY_login\n10061_USRPKEY_login\n10061_USRCERT_login\n10070_USRCERT_x\n\
10080_USRSKEY_secret\n1000_CACERT_vpn\nx_USRPKEY_y\n";
        assert_eq!(holders(names), Some(BTreeSet::from([10_061, 10_080])));
        assert_eq!(holders(""), Some(BTreeSet::new()));
        assert_eq!(holders("?\n"), None);
    }
}
