#!/usr/bin/env bash
# `make gen`: the OpenAPI document from the server, and the types of the web client from the document.
# `gen.sh --check` leaves everything as it was, and fails when something was stale: it shows what would change.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

GENERATED=(api/openapi.json api/open.json web/src/api/catalogue.ts web/src/api/codes.ts web/src/api/schema.ts web/src/api/operations.ts web/src/api/words)

generate() {
  mkdir -p api
  "$SKYRACK" openapi >api/openapi.json.new
  mv api/openapi.json.new api/openapi.json
  "$SKYRACK" openapi --open >api/open.json.new
  mv api/open.json.new api/open.json
  need_npm_packages
  quietly 'npm run gen' npm --prefix web run --silent gen
}

if [ "${1:-}" != --check ]; then
  need_toolchain
  build_server
  generate
  exit
fi

kept=$(mktemp -d)
cp -a --parents "${GENERATED[@]}" "$kept"
# Whatever happens: a check changes nothing, not even the times that builds go by.
trap 'rm -rf "${GENERATED[@]}"; cp -a "$kept/." .; rm -rf "$kept"' EXIT
generate
stale=()
for path in "${GENERATED[@]}"; do
  diff --recursive --unified=1 --new-file --label "$path as committed" --label "$path as generated" "$kept/$path" "$path" || stale+=("$path")
done
[ ${#stale[@]} = 0 ] || die "These are stale: ${stale[*]}. Run 'make gen', look at the change and commit it."
