#!/usr/bin/env bash
# `make bench`: measures the release binary beside a bare server and the raw database, on SQLite and PostgreSQL, and
# writes the figures into docs/benchmarks.md. ARGS are those of the program, such as `--rows 100000`.
# The first run fills a database of a million rows, which is kept in target/bench.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
need_packages chromium adb restic
need_postgres
build_web
say 'Building the release binary and the benchmark (the first time takes some minutes)'
run_cargo build --quiet --release --bins -p server -p bench
scripts/with-postgres.sh target/release/bench "$@"
