#!/usr/bin/env bash
# Runs the test suites that are named (all, if none is) and adds up what they counted. Called by test.sh, which has
# built everything, inside with-postgres.sh. Logs and reports are in target/test-logs.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

suite_cargo() {
  if cargo nextest --version >/dev/null 2>&1; then
    local code=0
    rm -f target/nextest/default/junit.xml
    run_cargo nextest run --workspace --cargo-quiet "${NEXTEST_RETRIES[@]}" || code=$?
    cp target/nextest/default/junit.xml "$LOGS/cargo.xml"
    return $code
  fi
  run_cargo test --workspace --no-fail-fast
}
suite_types() { npm --prefix web run --silent typecheck; }
suite_lint() { npm --prefix web run --silent lint; }
suite_vitest() {
  npm --prefix web run --silent test -- --reporter=default --reporter=junit --outputFile.junit="$LOGS/vitest.xml"
}
# A second try for one unlucky test, which is told as flaky. What must happen once (kill9, standby, faults) has none.
[ -n "${STRICT:-}" ] && PYTEST_RETRIES=() || PYTEST_RETRIES=(--reruns 2)
[ -n "${STRICT:-}" ] && NEXTEST_RETRIES=(--retries 0) || NEXTEST_RETRIES=()
suite_contract() { "$VENV/bin/python" -m pytest tests/contract "${PYTEST_RETRIES[@]}" --junit-xml="$LOGS/contract.xml"; }
suite_fleet() { "$VENV/bin/python" -m pytest tests/fleet "${PYTEST_RETRIES[@]}" --junit-xml="$LOGS/fleet.xml"; }
suite_kill9() { "$VENV/bin/python" -m pytest tests/kill9 --junit-xml="$LOGS/kill9.xml"; }
# STANDBY_ROUNDS=20 makes the 20 kills and 20 sleeps of the release out of a few.
suite_standby() { "$VENV/bin/python" -m pytest tests/standby --junit-xml="$LOGS/standby.xml"; }
# FAULTS=whole tries every cell of the matrix (`make faults`).
suite_faults() { "$VENV/bin/python" -m pytest tests/faults --junit-xml="$LOGS/faults.xml"; }
suite_hostile() { "$VENV/bin/python" -m pytest tests/hostile "${PYTEST_RETRIES[@]}" --junit-xml="$LOGS/hostile.xml"; }
suite_schemathesis() { "$VENV/bin/python" tests/schemathesis/run.py --junit "$LOGS/schemathesis.xml"; }
# Playwright finds its configuration in the folder it is started in, which npm's --prefix does not change.
suite_e2e() { (cd web && PLAYWRIGHT_JUNIT_OUTPUT_NAME="$LOGS/e2e.xml" npm exec -- playwright test); }

ALL=(cargo types lint vitest contract fleet hostile schemathesis kill9 standby faults e2e)
WANTED=("${@:-${ALL[@]}}")
wanted() { [[ " ${WANTED[*]} " == *" $1 "* ]]; }

# One suite's result and the seconds it took.
line() {
  local passed=0 failed=1 seconds=0
  # A suite that left no count did not run, and that is a failure.
  read -r passed failed 2>/dev/null <"$LOGS/$1.count" || true
  read -r seconds 2>/dev/null <"$LOGS/$1.seconds" || true
  printf '    %-14s %5d passed %4d failed %5d s\n' "$1" "$passed" "$failed" "$seconds"
}

run_suite() {
  local name=$1 started=$SECONDS code=0 passed failed
  wanted "$name" || return 0
  "suite_$name" >"$LOGS/$name.log" 2>&1 || code=$?
  "$VENV/bin/python" scripts/tally.py "$name" "$code" "$LOGS" >"$LOGS/$name.count"
  read -r passed failed <"$LOGS/$name.count"
  echo $((SECONDS - started)) >"$LOGS/$name.seconds"
  line "$name"
  [ "$failed" = 0 ] || { printf -- '---- the end of target/test-logs/%s.log:\n' "$name"; tail -n 60 "$LOGS/$name.log"; echo '----'; }
}
lane() { local name; for name in "$@"; do run_suite "$name"; done; }

for name in "${WANTED[@]}"; do
  declare -F "suite_$name" >/dev/null || die "There is no suite '$name'. There are: ${ALL[*]}."
done

# A real S3 server for the tests of object storage; it ends with its standard input, so with this script.
coproc S3 { cd tests && exec "$VENV/bin/python" -m support.s3_server 0 2>"$LOGS/s3.log"; }
read -r -t 60 _ _ s3_endpoint _ <&"${S3[0]}" || die 'The S3 server of the tests did not start. See target/test-logs/s3.log.'
export TEST_S3_URL=${s3_endpoint%,}

# What an earlier run left counts for nothing.
for name in "${WANTED[@]}"; do rm -f "$LOGS/$name".{count,seconds,xml}; done
say "Running ${WANTED[*]}"
# Two lanes for two cores, about equally long; then the browser, whose two workers take both. The killing wants a core
# to itself.
lane cargo contract fleet hostile & first=$!
lane types lint vitest schemathesis kill9 standby faults & second=$!
wait "$first" "$second" || true
lane e2e

say "The whole took $SECONDS s:"
passed=0 failed=0
for name in "${WANTED[@]}"; do
  line "$name"
  read -r p f 2>/dev/null <"$LOGS/$name.count" || { p=0 f=1; }
  passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed $failed" >"$LOGS/total"
say "$passed tests passed and $failed failed. Logs are in target/test-logs."
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
