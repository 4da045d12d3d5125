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
        // Three megabytes of addresses that the loader adjusts, packed into some kilobytes; understood since glibc 2.36.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
