//! Makes sure that the folder of the web console exists, so that the server also compiles before the console was built.
//! A development build reads the files on request; a release build embeds them, and is rebuilt when they change.

fn main() {
    let dist = std::path::Path::new("../../web/dist");
    if let Err(error) = std::fs::create_dir_all(dist) {
        println!("cargo::warning=cannot create {}: {error}", dist.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo::rerun-if-changed=../../web/dist");
        // Not with `-z pack-relative-relocs`, which saves three megabytes: mold 1.10, that of Debian 12, forgets to say that the
        // loader has to know them (GLIBC_ABI_DT_RELR), and the loader refuses the program.
    }
}
