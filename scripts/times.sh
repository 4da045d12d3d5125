#!/usr/bin/env bash
# `make times`: how long a developer waits after a change, and how large the whole is. Judges nothing.
# ALL=1 builds the release binary from cold as well, which takes about ten minutes.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
mkdir -p web/dist

# since MOMENT: seconds from then, with a tenth.
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", b - a }'; }

# after_touch CRATE COMMAND...: the time that COMMAND takes when a file of CRATE has changed.
after_touch() {
  local crate=$1 begun; shift
  touch "crates/$crate/src/lib.rs"
  begun=$EPOCHREALTIME
  "$@" && since "$begun"
}

say 'Waiting after a change, with everything else built'
run_cargo check --quiet --package server
for crate in base accounts customers fleet platform; do
  note "cargo check after a change in $crate: $(after_touch "$crate" run_cargo check --quiet --package server)"
done
dev_cargo test --quiet --package server --test it --no-run
for crate in customers fleet; do
  note "the tests of calls after a change in $crate: $(
    after_touch "$crate" dev_cargo test --quiet --package server --test it --no-run)"
done

if [ -n "${ALL:-}" ]; then
  begun=$EPOCHREALTIME
  CARGO_TARGET_DIR=target/cold run_cargo build --quiet --release --package server
  note "the release binary from cold: $(since "$begun"), $(du -h target/cold/release/skyrack | cut -f1)"
  rm -rf target/cold
fi
