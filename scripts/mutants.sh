#!/usr/bin/env bash
# `make mutants`: see mutants.py. It compiles what it breaks, beside everything else, so no other run waits for it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_python
need_toolchain
need_postgres
exec scripts/with-postgres.sh python3 scripts/mutants.py "$@"
