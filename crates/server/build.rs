//! Makes sure that the folder of the web console exists, so that the server also compiles before the
//! console was built. A development build reads the files when they are asked for; a release build
//! carries them, and is built again when they change.

fn main() {
    let dist = std::path::Path::new("../../web/dist");
    if let Err(error) = std::fs::create_dir_all(dist) {
        println!("cargo::warning=cannot create {}: {error}", dist.display());
    }
    println!("cargo::rerun-if-changed=../../web/dist");
}
