//! The backup commands.

use std::path::Path;

use anyhow::{Context as _, ensure};
use base::anchor::Anchors;
use base::config::Config;
use kernel::clock::Clock;
use vault::{Source, Vault};

use super::{Archive, Manifest, Target};
use crate::alone::{self, Alone};
use crate::boot;

/// `skyrack backup FILE`.
///
/// # Errors
/// When there is no master key to seal it with, or a read or a write fails.
pub async fn backup(config: &Config, file: &Path, is_plain: bool) -> anyhow::Result<()> {
    let vault = if is_plain { None } else { Some(vault(config).context("to leave the backup unsealed, say --plain")?) };
    let db = boot::connect(config).await?;
    let made = super::backup(&db, &config.object_place(), file, vault.as_ref(), Clock::default().now()).await;
    db.close().await?;
    let made = made?;
    println!("{}: {} rows and {} files", file.display(), made.rows(), made.files());
    match vault {
        Some(vault) => println!(
            "It is sealed with master key {}, which is not in it; keep a copy of the key elsewhere.",
            vault.key_id()
        ),
        None => println!(
            "It is not sealed: whoever has the file reads it. The master key is not in it; keep a copy elsewhere."
        ),
    }
    tell_of_files(&made);
    Ok(())
}

/// `skyrack backup verify FILE`.
///
/// # Errors
/// When the backup is incomplete, or cannot be opened.
pub fn verify(config: &Config, file: &Path) -> anyhow::Result<()> {
    let mut archive = Archive::open(file, || vault(config))?;
    archive.check()?;
    let manifest = archive.manifest();
    let seal = if archive.is_sealed() { "sealed" } else { "not sealed" };
    println!("made {} by Skyrack {}, {seal}", manifest.made_at.to_rfc3339(), manifest.version());
    tell_of_tables(manifest);
    println!("{} is complete: {} rows and {} files", file.display(), manifest.rows(), manifest.files());
    tell_of_files(manifest);
    Ok(())
}

/// `skyrack restore FILE`.
///
/// # Errors
/// See [`super::restore`].
pub async fn restore(config: &Config, file: &Path) -> anyhow::Result<()> {
    let mut archive = Archive::open(file, || vault(config))?;
    let target = Target { url: config.database_url(), objects: config.object_place() };
    // An incomplete backup is refused before any folders are created.
    archive.check_for_restore().context("nothing was restored")?;
    let alone = Alone::lock(config).context("nothing was restored")?;
    let put_back = async {
        let out = alone::keep_out(config).await?;
        anyhow::Ok((out, super::restore(&mut archive, &target).await?))
    };
    let (_out, restored) = match put_back.await {
        Ok(done) => done,
        Err(error) => {
            alone.undo();
            return Err(error.context("nothing was restored"));
        }
    };
    let opens = follow_up(config).await.context(
        "all rows and files were restored; what follows failed: a note in the anchors of the operation log, if there \
         are any, and a look at whether the secrets can be decrypted",
    )?;
    tell_of_tables(archive.manifest());
    println!("restored {} rows and {} files, as many as were backed up", restored.rows, restored.files);
    match restored.log {
        Ok(lines) => println!("operation log: {lines} lines, an unbroken chain"),
        Err(broken) => println!("WARNING: the chain was broken when the backup was made: {broken}"),
    }
    tell_of_files(archive.manifest());
    if let Err(error) = opens {
        println!(
            "WARNING: its secrets cannot be decrypted ({error:#}). Bring its master key before you start the server."
        );
    }
    if let Some(error) = restored.unconfirmed {
        return Err(anyhow::Error::from(error).context(
            "all rows and files were restored, but the disk did not confirm the last step: check the disk, and whether \
             the database is still there after the next start of the machine; if it is empty, run the restore again",
        ));
    }
    Ok(())
}

/// Notes in the anchors that the log is now the backup's, and answers whether the secrets can be decrypted.
async fn follow_up(config: &Config) -> anyhow::Result<anyhow::Result<()>> {
    let db = boot::connect(config).await?;
    let opens = match vault(config) {
        Ok(vault) => {
            let anchors = Anchors::at(&config.anchor_file(), vault.clone());
            anchors.restored(&db, Clock::default().now()).await?;
            vault::store::check(&db, &vault).await.map_err(anyhow::Error::from)
        }
        Err(error) => Err(error),
    };
    db.close().await?;
    Ok(opens)
}

/// The available keys. A backup must not be sealed with a key of which nobody has a copy, so none is generated.
fn vault(config: &Config) -> anyhow::Result<Vault> {
    let source = config.master_key();
    if let Source::Made(path) = &source {
        ensure!(
            path.exists(),
            "no master key in {}: copy it there (mode 600), or set SKYRACK_MASTER_KEY_FILE",
            path.display()
        );
    }
    Ok(Vault::open(&source)?)
}

fn tell_of_tables(manifest: &Manifest) {
    for table in manifest.tables().iter().filter(|table| table.rows > 0) {
        println!("  {:<24} {:>12}", table.name, table.rows);
    }
}

fn tell_of_files(manifest: &Manifest) {
    if manifest.is_bucket {
        println!("Uploaded files are in a bucket and not in the backup; the bucket needs backups of its own.");
    }
    if !manifest.missing.is_empty() {
        println!("WARNING: {} referenced files were missing when the backup was made:", manifest.missing.len());
        for key in &manifest.missing {
            println!("  {key}");
        }
    }
}
