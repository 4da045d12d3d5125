//! What `dumpsys` says of packages.

use std::fmt::Write as _;

use super::{Package, code_folder};
use crate::card::Card;

/// `dumpsys package`, of one package or of all.
#[must_use]
pub fn dump(card: &Card, wanted: Option<&str>) -> String {
    let state = card.state();
    let everybody: Vec<u32> = state.users().into_iter().map(|user| user.0).collect();
    let installed = state.packages.iter().filter(|(_, package)| package.is_installed());
    let chosen: Vec<_> = installed.filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name.as_ref())).collect();
    if let Some(wanted) = wanted.filter(|_| chosen.is_empty()) {
        return format!("Unable to find package: {wanted}\n");
    }
    let time = |moment| crate::programs::moments::format("%Y-%m-%d %H:%M:%S", moment);
    let mut text = "Packages:\n".to_owned();
    for (name, package) in chosen {
        let Package { version, version_name, signer, uid, users, installed, updated, permissions, .. } = package;
        let code = code_folder(name);
        let mark = crate::chance::number(card.seed, u64::from(*uid), 17) & 0xff_ffff;
        let _ = writeln!(
            text,
            "  Package [{name}] ({mark:06x}):\n    userId={uid}\n    pkg=Package{{{mark:06x} {name}}}\n    codePath={code}\n    \
resourcePath={code}\n    primaryCpuAbi=arm64-v8a\n    versionCode={version} minSdk=21 targetSdk=32\n    \
versionName={version_name}\n    dataDir=/data/user/0/{name}\n    timeStamp={}\n    firstInstallTime={}\n    \
lastUpdateTime={}\n    signatures=PackageSignatures{{{mark:06x} version:2, signatures:[{signer}], past signatures:[]}}",
            time(*updated),
            time(*installed),
            time(*updated)
        );
        if wanted.is_some() {
            permissions.dump(&mut text);
        }
        for user in &everybody {
            let (has, inode) = (users.contains(user), if users.contains(user) { mark + u64::from(*user) } else { 0 });
            let (suspended, stopped) = (package.suspended.contains(user), package.stopped.contains(user));
            let _ = writeln!(
                text,
                "    User {user}: ceDataInode={inode} installed={has} hidden=false suspended={suspended} stopped={stopped} \
notLaunched=false enabled=0"
            );
            if wanted.is_some() {
                text.push_str("      runtime permissions:\n");
                if users.contains(user) {
                    permissions.dump_of(*user, &mut text);
                }
            }
        }
    }
    text
}
