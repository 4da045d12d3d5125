#!/usr/bin/env bash
# with-postgres.sh COMMAND...: runs COMMAND beside a throw-away PostgreSQL and removes it afterwards.
# COMMAND finds it under TEST_PG_URL. It is small, but it syncs to disk like a real one, which benchmarks rely on; with
# PG_IN_MEMORY=1 its files are in memory where there is room, for tests that make and drop a database each (on a disk
# 1.3 s, of which most is waiting). What they kill is the console; a cluster that is killed is one of their own
# (`tests/support/postgres.py`). It says that it syncs all the same: the console refuses a database that does not.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A server given from outside wins: a developer's own, or one of a CI service.
if [ -n "${TEST_PG_URL:-}" ]; then exec "$@"; fi

find_pg_bin() {
  local initdb
  initdb=$(command -v initdb || ls -1 /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)
  [ -n "$initdb" ] && dirname "$(readlink -f "$initdb")"
}
PG_BIN=$(find_pg_bin) || { need_packages postgresql; PG_BIN=$(find_pg_bin); }

# PostgreSQL refuses to run as root, so root lends its own account for it.
as_owner() { "$@"; }
OWNER=$(id -un)
if [ "$(id -u)" = 0 ]; then
  OWNER=postgres
  id postgres >/dev/null 2>&1 || OWNER=nobody
  as_owner() { setpriv --reuid="$OWNER" --regid="$(id -g "$OWNER")" --clear-groups "$@"; }
fi

# Beside the other build results, unless the owner cannot get there (a clone under /root, say).
mkdir -p target/postgres
BASE="$ROOT/target/postgres"
as_owner test -x "$BASE" || { BASE="${TMPDIR:-/tmp}/skyrack-postgres"; mkdir -p "$BASE"; }
if [ -n "${PG_IN_MEMORY:-}" ] && [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null; then
  BASE=/dev/shm/skyrack-postgres
  mkdir -p "$BASE"
fi

pg() { (cd / && as_owner "$PG_BIN/$@"); }

# Clusters whose run was killed: nobody will stop them but the next run.
for stale in "$BASE"/*/; do
  [ -d "$stale" ] && [ ! -d "/proc/$(basename "$stale")" ] || continue
  pg pg_ctl -D "$stale/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$stale"
done

DIR="$BASE/$$"
mkdir -p "$DIR"
chown "$OWNER" "$DIR"
finish() {
  local code=$?
  trap - EXIT INT TERM
  pg pg_ctl -D "$DIR/data" -m immediate -w stop >/dev/null 2>&1 || true
  mkdir -p "$LOGS" && cp "$DIR/log" "$LOGS/postgres.log" 2>/dev/null || true
  rm -rf "$DIR"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

pg initdb -D "$DIR/data" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --data-checksums --no-sync \
  >"$DIR/initdb.log" 2>&1 || { cat "$DIR/initdb.log" >&2; die "initdb failed."; }
cat >>"$DIR/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 64MB
fsync = on
synchronous_commit = on
full_page_writes = on
wal_level = minimal
max_wal_senders = 0
log_min_messages = warning
CONF

started=no
for _ in 1 2 3 4 5; do
  port=$(free_port $((20000 + RANDOM % 10000)))
  if pg pg_ctl -D "$DIR/data" -l "$DIR/log" -o "-p $port" -w -s start; then started=yes; break; fi
done
[ "$started" = yes ] || { tail "$DIR/log" >&2; die "PostgreSQL did not start."; }

export TEST_PG_URL="postgres://postgres@127.0.0.1:$port/postgres"
"$@"
