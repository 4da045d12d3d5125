//! The web console is embedded from `web/dist`; a build without it must still compile.
fn main() {
    println!("cargo::rerun-if-changed=../../web/dist/index.html");
}
