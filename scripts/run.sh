#!/usr/bin/env bash
# `make run`: builds what is missing and starts the console with demo data on its embedded database.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_toolchain
# The two builds do not need each other. The server reads web/dist when it answers, not when it is built.
mkdir -p web/dist
build_web & web=$!
# Of the workspace only the program, by the profile that tests use: `make test` goes on from here and builds nothing
# twice. That stays so as long as no other member asks for more features of a shared crate than it does.
[ -x "$SKYRACK" ] || say 'Building the server: once, some minutes. What follows starts in seconds.'
dev_cargo build --package server
wait "$web" || exit 1

DATA="${DATA:-data/demo}"
wanted=${PORT:-8080}
PORT=$(free_port "$wanted")
[ "$PORT" = "$wanted" ] || note "Port $wanted is taken by another program; this console takes $PORT."
[ -e "$DATA/skyrack.db" ] || say "Making the demo company in $DATA"
mkdir -p "$DATA" && chmod 700 "$DATA"
# The terminal belongs to what it says at its start; SKYRACK_LOG=info tells what it does. At the end the console sends the
# simulated room's agent away, which is no news here.
SKYRACK_LOG="${SKYRACK_LOG:-warn,fleet::agent_link=error}" exec "$SKYRACK" serve --demo --data-dir "$DATA" --listen "127.0.0.1:$PORT"
