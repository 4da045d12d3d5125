#!/usr/bin/env bash
# `make times`: how long a developer waits after a change, and how large the whole is. Judges nothing; the figures are
# kept in gate/builds.json, from which every run tells them.
# ALL=1 builds the release binary from cold as well, which takes about ten minutes.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
need_python
mkdir -p web/dist

# keep WHAT OF MOST COMMAND...: keeps the seconds that COMMAND takes, with a tenth.
keep() {
  local what=$1 of=$2 most=$3 begun=$EPOCHREALTIME seconds; shift 3
  "$@"
  seconds=$(awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  python3 scripts/gate/builds.py "$what" "$of" "$seconds" "$most"
  note "$what $of: $seconds s"
}
check() { run_cargo check --quiet --package server; }
# Those of the program and of each group that has its own, those of phones at cards among them.
tests() { dev_cargo build --quiet --workspace --test it --test cards; }
groups() { grep -l 'pub const DOMAINS:' crates/*/src/lib.rs | cut -d/ -f2; }

say 'Waiting after a change, with everything else built'
check
for crate in base $(groups); do
  touch "crates/$crate/src/lib.rs"
  keep 'cargo check after a change in' "$crate" 6 check
done
tests
for crate in $(groups); do
  touch "crates/$crate/src/lib.rs"
  keep 'the tests of all calls compiled after a change in' "$crate" 20 tests
done

if [ -n "${ALL:-}" ]; then
  CARGO_TARGET_DIR=target/cold keep 'the release binary' 'from cold' 600 run_cargo build --quiet --release --package server
  note "it has $(du -h target/cold/release/skyrack | cut -f1)"
  rm -rf target/cold
fi
