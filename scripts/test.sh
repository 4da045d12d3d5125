#!/usr/bin/env bash
# `make test [SUITES="cargo e2e ..."]`: gets what the tests need, builds once, then runs every suite.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$LOGS" web/dist
find "$LOGS" -maxdepth 1 -type f ! -name "check*" -delete
need_toolchain

# Compiling takes longest, so it starts first and the downloads go on beside it.
say 'Building the server and its tests (the first time takes some minutes)'
{
  run_cargo build --quiet --workspace
  if cargo nextest --version >/dev/null 2>&1; then
    run_cargo nextest run --workspace --no-run --cargo-quiet
  else
    run_cargo test --quiet --workspace --no-run
  fi
} >"$LOGS/build.log" 2>&1 &
building=$!

need_packages chromium-headless-shell fonts-noto-cjk curl adb mksh restic toybox vsftpd
need_postgres
need_venv
build_web

wait "$building" || { tail -n 60 "$LOGS/build.log" >&2; die 'The build failed. The whole log is in target/test-logs/build.log.'; }
exec scripts/with-postgres.sh scripts/suites.sh "$@"
