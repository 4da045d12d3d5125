# Shared by every script in this folder: messages, and getting what is missing.
# Source it; it moves to the root of the repository.

set -euo pipefail
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
LOGS="$ROOT/target/test-logs"

# Where `.ci/run` keeps what it has built (cached.sh). It is told under a name that the console would take for one of its
# settings, and refuse.
CACHE="${SKYRACK_CACHE:-$HOME/.cache/skyrack}"
unset SKYRACK_CACHE

# The Python of the tests and the two binaries, wherever a script needs them.
VENV="$ROOT/.venv"
SKYRACK="$ROOT/target/debug/skyrack"

# Where rustup puts cargo when the shell's profile was not read (a fresh install, a service, CI).
command -v cargo >/dev/null 2>&1 || PATH="$PATH:$HOME/.cargo/bin"
export PATH

if [ -t 1 ]; then BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' RESET=$'\e[0m'; else BOLD='' DIM='' RED='' RESET=''; fi

say() { printf '%s==>%s %s\n' "$BOLD" "$RESET" "$*"; }
note() { printf '%s    %s%s\n' "$DIM" "$*" "$RESET"; }
die() { printf '%serror:%s %s\n' "$RED" "$RESET" "$*" >&2; exit 1; }

# quietly LABEL COMMAND...: runs it with its output in a log, and shows the log only if it fails.
quietly() {
  local label=$1 log; shift
  mkdir -p "$LOGS"
  log="$LOGS/setup-${label//[^a-zA-Z0-9]/-}.log"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "$label failed. The whole log is in ${log#"$ROOT"/}."
  fi
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# need_packages PACKAGE...: installs the Debian packages that are not there yet.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null 2>&1 ||
    die "These are missing: ${missing[*]}. This system has no apt-get, so please install them by hand."
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 ||
    die "These are missing: ${missing[*]}. Please run 'apt-get install ${missing[*]}' as root, then try again."
  say "Installing ${missing[*]}"
  quietly 'apt-get update' as_root apt-get update -q
  quietly 'apt-get install' as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# A PostgreSQL server to start clusters of, from Debian unless there is one.
need_postgres() {
  command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need_packages postgresql
}

# at_least WANTED FOUND: compares versions.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# What every build needs: a C compiler and linker, Rust, Node.js.
need_toolchain() {
  local found
  command -v cc >/dev/null 2>&1 || need_packages build-essential
  # A fast linker halves the wait after every change, but the build does without it.
  command -v mold >/dev/null 2>&1 || (need_packages mold) || note "Going on without the fast linker mold."
  command -v cargo >/dev/null 2>&1 ||
    die "Rust is missing. Install it with rustup, or with 'apt-get install rustc-web cargo-web'; version 1.95 or newer is needed."
  found=$(rustc --version | cut -d' ' -f2)
  at_least 1.95.0 "$found" || die "Rust $found is too old: version 1.95 or newer is needed. Try 'rustup update'."
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
    die "Node.js is missing: version 20.19 or newer is needed, with npm."
  found=$(node --version); found=${found#v}
  at_least 20.19.0 "$found" || die "Node.js $found is too old: version 20.19 or newer is needed."
}

# cargo, linking with mold where there is one. The wrapper leaves no trace in cargo's fingerprints, so plain
# `cargo build` and these scripts share every artefact (RUSTFLAGS would rebuild the world).
run_cargo() {
  if command -v mold >/dev/null 2>&1; then mold -run cargo "$@"; else cargo "$@"; fi
}

# The development build is linted on the way: clippy's driver is a compiler, and one that judges what it compiles reads
# nothing twice (a pass of clippy alone took 440 seconds of processors from nothing). What it finds are warnings, whatever
# they are at home; cargo keeps them with what was built and tells them each time, and `step_clippy` fails on them.
# Who only wants the program builds without it; who says that the sources are fine needs it (`need_clippy`).
clippy_driver() { printf '%s/bin/clippy-driver' "$(rustc --print sysroot)"; }
lint_on_the_way() {
  local driver; driver=$(clippy_driver)
  [ -x "$driver" ] || return 0
  export RUSTC_WORKSPACE_WRAPPER="$driver" CLIPPY_ARGS=--cap-lints__CLIPPY_HACKERY__warn
}
need_clippy() { [ -x "$(clippy_driver)" ] || die "Clippy is missing: 'rustup component add clippy'."; }
dev_cargo() { (lint_on_the_way && run_cargo "$@"); }

# installed FOLDER WANTED: whether FOLDER holds what the hash WANTED names. Where there is a place for it
# ($GATE_PARKED, see cached.sh) what another hash names is put there, and what was put there before comes back.
installed() {
  local folder=$1 wanted=$2 found parked="${GATE_PARKED:-}${GATE_PARKED:+/${1//\//-}}"
  found=$(cat "$folder/.installed" 2>/dev/null || true)
  [ "$found" != "$wanted" ] || return 0
  [ -n "$parked" ] && [ -n "$found" ] || { rm -rf "$folder"; found=''; }
  if [ -n "$found" ]; then mkdir -p "$parked" && rm -rf "${parked:?}/$found" && mv "$folder" "$parked/$found" && touch "$parked/$found"; fi
  [ -n "$parked" ] && [ -d "$parked/$wanted" ] && mv "$parked/$wanted" "$folder"
}
hash_of() { sha256sum "$@" | sha256sum | cut -c1-16; }

# npm packages, exactly as locked.
need_npm_packages() {
  local folder wanted
  for folder in web web/tools/openapi; do
    [ -f "$folder/package-lock.json" ] || continue
    wanted=$(hash_of "$folder/package-lock.json")
    installed "$folder/node_modules" "$wanted" && continue
    say "Installing the packages of $folder"
    # Browsers come from Debian, never from a download of a test tool.
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 quietly "npm ci in $folder" \
      npm --prefix "$folder" ci --no-audit --no-fund --loglevel=error
    echo "$wanted" >"$folder/node_modules/.installed"
  done
}

# The web console in web/dist, built again only when something in it changed.
build_web() {
  local newer
  need_npm_packages
  if [ -f web/dist/index.html ]; then
    newer=$(find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/e2e -prune \
      -o -path web/tools -prune -o -type f -newer web/dist/index.html -print -quit)
    [ -n "$newer" ] || return 0
  fi
  say "Building the web console"
  quietly 'the build of the web console' npm --prefix web run --silent build
}

# The server in the development profile, which the tests share.
build_server() {
  # The console is embedded, so its folder has to be there even before the first build of it.
  mkdir -p web/dist
  say "Building the server${1:+ $1} (the first time takes some minutes)"
  # All members at once: one of them alone would be built with other features of shared crates, that is, twice.
  dev_cargo build --quiet --workspace
}

need_python() { python3 -c 'import venv, ensurepip' 2>/dev/null || need_packages python3 python3-venv; }

# The Python of the tests, in .venv, exactly as pinned.
need_venv() {
  local wanted
  need_python
  # A virtual environment names the interpreter that it was made with.
  wanted=$({ cat tests/requirements.txt; python3 -c 'import sys; print(sys.version, sys.executable)'; } | sha256sum | cut -c1-16)
  installed .venv "$wanted" && return 0
  say "Installing the Python packages of the tests"
  quietly 'python3 -m venv' python3 -m venv "$VENV"
  quietly 'pip install' "$VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tests/requirements.txt
  echo "$wanted" >"$VENV/.installed"
}

# free_port [FIRST]: the first port from FIRST on that nothing listens on.
free_port() {
  local port=${1:-8080}
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}
