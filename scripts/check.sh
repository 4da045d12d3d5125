#!/usr/bin/env bash
# `make check`: everything a change must pass before its tests are worth running. Runs all, then tells what failed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
need_npm_packages
mkdir -p web/dist "$LOGS"
passed=0 failed=0

check() {
  local name=$1 started=$SECONDS log; shift
  log="$LOGS/check-$name.log"
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1)); note "$name is fine ($((SECONDS - started)) s)"
  else
    failed=$((failed + 1)); printf '%s!!%s  %s\n' "$RED" "$RESET" "$name"; tail -n 60 "$log"
  fi
}

say 'Checking'
check format cargo fmt --all --check
check rules scripts/rules.sh
check lint npm --prefix web run --silent lint
check types npm --prefix web run --silent typecheck
build_web
check budget npm --prefix web run --silent budget
check clippy run_cargo clippy --quiet --workspace --all-targets -- -D warnings
check generated scripts/gen.sh --check

echo "$passed $failed" >"$LOGS/check.count"
[ "$failed" = 0 ] || die "$failed of $((passed + failed)) checks failed."
say 'All checks are fine.'
