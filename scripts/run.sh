#!/usr/bin/env bash
# `make run`: builds what is missing and starts the console with demo data on its embedded database.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
# The two builds do not need each other. The server reads web/dist when it answers, not when it is built.
mkdir -p web/dist
build_web & web=$!
build_server
wait "$web" || exit 1

DATA="${DATA:-data/demo}"
PORT=$(free_port "${PORT:-8080}")
[ ! -e "$DATA/skyrack.db" ] || cat <<TEXT

  Going on with the demo data in $DATA. Sign in as admin with the password that was printed at the first start.
  Forgotten? Press Ctrl-C, then: $SKYRACK admin reset-password admin --data-dir $DATA
  To start afresh: rm -r $DATA
TEXT
exec "$SKYRACK" serve --demo --data-dir "$DATA" --listen "127.0.0.1:$PORT"
