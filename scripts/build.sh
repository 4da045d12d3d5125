#!/usr/bin/env bash
# `make build`: the release binary, with the web console inside it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
build_web
say 'Building the release binary (the first time takes some minutes)'
run_cargo build --quiet --release -p server
say "target/release/skyrack, $(du -h target/release/skyrack | cut -f1)"
