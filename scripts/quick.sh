#!/usr/bin/env bash
# `make quick [SINCE=COMMIT]`: see quick.py. Before a landing it is `make test`.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_python
need_toolchain
need_clippy
need_npm_packages
need_postgres
mkdir -p web/dist
lint_on_the_way
exec python3 scripts/quick.py
