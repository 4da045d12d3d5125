//! SQLite files: migrated once per test binary, then copied for each test.

use std::path::{Path, PathBuf};

/// Puts a migrated database at `file`.
pub(crate) async fn create_database(file: &Path) {
    std::fs::copy(template().await, file).unwrap();
}

/// The migrated file that tests copy: beside the test's program, and made anew when that is, since its migrations may
/// have changed. Of two processes that make it at once the later one replaces an equal one.
async fn template() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let template = program.with_extension("migrated.db");
    let since = |path: &Path| std::fs::metadata(path).and_then(|found| found.modified()).ok();
    if since(&template) < since(&program) {
        let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let unfinished = folder.path().join("template.db");
        let db = crate::open(&format!("sqlite:{}", unfinished.display())).await;
        crate::migrate(&db).await;
        db.close().await.unwrap();
        std::fs::rename(unfinished, &template).unwrap();
    }
    template
}
