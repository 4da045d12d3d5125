#!/usr/bin/env bash
# `make test [SUITES="cargo e2e ..."]`: gets what the tests need, builds once, runs every check and every suite, and ends
# with the verdict. `make check` is the checks alone. What a step does is in step.sh, when it is run in gate/plan.py.
# STRICT=1 has no second tries; LANES=1 runs one step after the other.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Whoever keeps what is compiled elsewhere would test that and run what lies here: the suites start `target/debug/skyrack`.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR

need_python
exec python3 scripts/gate "$@"
