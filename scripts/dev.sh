#!/usr/bin/env bash
# `make dev`: the server and Vite side by side. The browser reloads on a change of web/; the server is built and
# started again on a change of crates/. Open the address that Vite prints.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
need_npm_packages
build_server

PORT=$(free_port "${PORT:-8080}")
trap 'trap - EXIT INT TERM; kill 0' EXIT INT TERM
SKYRACK_DEV_SERVER="http://127.0.0.1:$PORT" npm --prefix web run --silent dev &

newest_source() { find crates Cargo.toml Cargo.lock -type f -printf '%T@\n' | sort -n | tail -n 1; }
while true; do
  seen=$(newest_source)
  if build_server; then
    "$SKYRACK" serve --demo --data-dir "${DATA:-data/demo}" --listen "127.0.0.1:$PORT" & server=$!
  else
    server=''
  fi
  while [ "$(newest_source)" = "$seen" ]; do sleep 1; done
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
done
