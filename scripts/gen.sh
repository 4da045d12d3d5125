#!/usr/bin/env bash
# `make gen`: the OpenAPI document from the server, and the types of the web client from the document.
# `gen.sh --check` changes nothing that was right, and fails when something was stale.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

GENERATED=(api/openapi.json web/src/api/schema.ts web/src/api/operations.ts web/src/api/words)

fingerprint() { find "${GENERATED[@]}" -type f -exec sha256sum {} + 2>/dev/null | sort || true; }
before=$(fingerprint)
need_toolchain
build_server
mkdir -p api
"$SKYRACK" openapi >api/openapi.json.new
mv api/openapi.json.new api/openapi.json
quietly 'npm run gen' npm --prefix web run --silent gen

if [ "${1:-}" = --check ] && [ "$before" != "$(fingerprint)" ]; then
  die "These were stale and are new now: ${GENERATED[*]}. Look at the change and commit it."
fi
