#!/usr/bin/env bash
# step.sh NAME: one step of `make test`; scripts/gate/plan.py says when each is run. Suites leave a report in $LOGS.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A second try for one unlucky test, which is told as flaky; STRICT=1 has none. Suites about what must happen once have
# none either: a second try would hide what they are for.
STRICT=${STRICT:-}
has_nextest() { cargo nextest --version >/dev/null 2>&1; }
pytest() { "$VENV/bin/python" -m pytest "tests/$1" --tell="$LOGS/$1.json" "${@:2}"; }
pytest_with_second_tries() { if [ -n "$STRICT" ]; then pytest "$@"; else pytest "$@" --reruns 2; fi; }

step_toolchain() { need_toolchain; }
step_packages() {
  need_packages chromium-headless-shell fonts-noto-cjk curl adb mksh restic toybox vsftpd
  need_postgres
}
step_npm() { need_npm_packages; }
step_venv() { need_venv; }
step_web() { build_web; }
# All members at once: one of them alone would be built with other features of shared crates, that is, twice. nextest
# is told what it runs, so that it never waits for a compiler that works on something else.
step_build() {
  mkdir -p web/dist target/nextest
  dev_cargo build --quiet --workspace
  if has_nextest; then
    dev_cargo nextest list --workspace --cargo-quiet --list-type binaries-only --message-format json >target/nextest/binaries.json
    cargo metadata --format-version 1 --filter-platform "$(rustc -vV | sed -n "s/^host: //p")" >target/nextest/cargo.json
  else
    dev_cargo test --quiet --workspace --no-run
  fi
}

# Services: they say where they are, and end with their standard input.
step_postgres() { PG_IN_MEMORY=1 exec scripts/with-postgres.sh sh -c 'echo "TEST_PG_URL=$TEST_PG_URL"; exec cat >/dev/null'; }
step_s3() {
  cd tests
  coproc S3 { exec "$VENV/bin/python" -m support.s3_server 0; }
  local url
  read -r -t 60 _ _ url _ <&"${S3[0]}" || die 'The S3 server of the tests did not start.'
  echo "TEST_S3_URL=${url%,}"
  cat >/dev/null
}

step_format() { cargo fmt --all --check; }
step_rules() { scripts/rules.sh; }
step_lint() { npm --prefix web run --silent lint; }
step_types() { npm --prefix web run --silent typecheck; }
step_budget() { npm --prefix web run --silent budget; }
# The build has linted everything; here its warnings, of compiler and clippy alike, are failures.
step_clippy() {
  local found
  need_clippy
  found=$(dev_cargo build --quiet --workspace --all-targets 2>&1) || { echo "$found"; return 1; }
  [ -z "$found" ] || { echo "$found"; return 1; }
}
step_generated() {
  # A dependency that was added without its lock is stale as well.
  cargo metadata --locked --format-version 1 >/dev/null
  scripts/gen.sh --check
}

step_cargo() {
  if ! has_nextest; then dev_cargo test --workspace --no-fail-fast; return; fi
  local code=0 report=target/nextest/default/junit.xml
  rm -f "$report"
  cargo nextest run --binaries-metadata target/nextest/binaries.json --cargo-metadata target/nextest/cargo.json \
    ${STRICT:+--retries 0} || code=$?
  cp "$report" "$LOGS/cargo.xml"
  return $code
}
step_vitest() {
  # npm would start in this folder; vitest finds its configuration in the one that it is started in.
  cd web && REPORT="$LOGS/vitest.json" npm exec -- vitest run --reporter=default --reporter=./tools/vitest-report.ts
}
# Playwright finds its configuration in the folder it is started in, which npm's --prefix does not change.
step_e2e() { cd web && REPORT="$LOGS/e2e.json" npm exec -- playwright test; }
step_gate() { pytest gate; }
step_contract() { pytest_with_second_tries contract; }
step_fleet() { pytest_with_second_tries fleet; }
step_hostile() { pytest_with_second_tries hostile; }
step_kill9() { pytest kill9; }
# STANDBY_ROUNDS=20 makes the 20 kills and 20 sleeps of the release out of a few.
step_standby() { pytest standby; }
# FAULTS=whole tries every cell of the matrix (`make faults`).
step_faults() { pytest faults; }
step_schemathesis() { "$VENV/bin/python" tests/schemathesis/run.py --junit "$LOGS/schemathesis.xml"; }

mkdir -p "$LOGS"
"step_$1"
