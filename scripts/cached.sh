#!/usr/bin/env bash
# cached.sh COMMAND...: runs COMMAND on these sources in a folder outside of this clone, where everything that was built
# and downloaded for the last such run is still there: $SKYRACK_CACHE, or ~/.cache/skyrack. A compiler that finds the
# same files at the same path compiles nothing, whichever clone they come from. Logs come back into this clone.
# Where the folder cannot be used (somebody else does, or the disk is short) COMMAND runs here, from nothing.
# `cached.sh --clean` empties it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

MOST_GB=${CACHE_MOST_GB:-25} LEAST_FREE_GB=15
TREE="$CACHE/tree"

gb() { echo $((($1 + 1048575) / 1048576)); }
size_kb() { { du -sk "$@" 2>/dev/null || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }
oldest_of() { ls -1dtr "$@" 2>/dev/null | head -n 1 || true; }

# What has not been used for longest goes first: parked packages, then what was compiled, a profile at a time.
prune() {
  local kb oldest
  kb=$(size_kb "$CACHE")
  while [ "$(gb "$kb")" -gt "$1" ]; do
    oldest=$(oldest_of "$CACHE"/parked/*/*)
    [ -n "$oldest" ] || oldest=$(oldest_of "$TREE"/target/*/incremental "$TREE"/target/{bench,cold,e2e-results})
    [ -n "$oldest" ] || oldest=$(oldest_of "$TREE"/target/{debug,release})
    [ -n "$oldest" ] || return 0
    note "The cache has $(gb "$kb") GB of at most $1: ${oldest#"$CACHE"/} goes."
    rm -rf "$oldest"
    kb=$(size_kb "$CACHE")
  done
}

# Why the cache cannot be used, if it cannot.
refusal() {
  local free
  mkdir -p "$CACHE" 2>/dev/null && [ -w "$CACHE" ] || { echo "$CACHE cannot be written"; return; }
  exec 9>"$CACHE/lock"
  flock --nonblock 9 || { echo "another run uses $CACHE"; return; }
  # What it has already, it need not find room for again.
  free=$(($(df --output=avail -k "$CACHE" | tail -n 1) + $(size_kb "$TREE/target")))
  [ "$(gb "$free")" -ge "$LEAST_FREE_GB" ] ||
    { echo "only $(gb "$free") GB are free in $CACHE, and $LEAST_FREE_GB are needed ('make clean-cache' empties it)"; return; }
}

if [ "${1:-}" = --clean ]; then
  exec 9>"$CACHE/lock" && flock --nonblock 9 || die "Another run uses $CACHE. Try again when it has ended."
  freed=$(size_kb "$CACHE")
  find "$CACHE" -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf {} +
  say "$(gb "$freed") GB were in $CACHE; it is empty."
  exit
fi

command -v python3 >/dev/null 2>&1 && command -v git >/dev/null 2>&1 || need_packages python3 git
why=$(mktemp)
refusal >"$why"
if [ -s "$why" ]; then
  note "Going on without the cache: $(cat "$why")."
  rm -f "$why"
  exec "$@"
fi
rm -f "$why"

prune "$MOST_GB"
changed=$(python3 scripts/mirror.py "$ROOT" "$TREE")
note "Running in $TREE: $changed files differ from its last run."
# npm's own cache goes with the rest.
export npm_config_cache="$CACHE/npm" GATE_PARKED="$CACHE/parked" GATE_ORIGIN="$ROOT"
code=0
# The lock is this script's, not that of a server that a test might leave running.
(cd "$TREE" && exec "$@" 9>&-) || code=$?
rm -rf "$LOGS" "$ROOT/target/e2e-results"
mkdir -p "$ROOT/target"
cp -r "$TREE/target/test-logs" "$LOGS" 2>/dev/null || true
cp -r "$TREE/target/e2e-results" "$ROOT/target/" 2>/dev/null || true
exit "$code"
