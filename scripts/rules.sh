#!/usr/bin/env bash
# The house rules that no compiler and no linter knows. Each prints what breaks it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# Here a grep that finds nothing is good news, so a pipeline is judged by its last command alone.
set +e +o pipefail
# The last command of a pipeline runs in this shell, so that `rule` can count.
shopt -s lastpipe

broken=0
# rule WHAT: reads the findings from standard input.
rule() {
  local found; found=$(cat)
  [ -n "$found" ] || return 0
  broken=$((broken + 1))
  printf '%s\n%s\n\n' "$1" "$(sed 's/^/  /' <<<"$found")"
}
# Files of ours: tracked or about to be, and still there.
ours() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
in_files() { local pattern=$1; shift; ours "$@" | xargs -r -d '\n' grep -nHE -- "$pattern" || true; }
SOURCES=('*.rs' '*.ts' '*.tsx' '*.mjs' '*.py' '*.sh')

ours "${SOURCES[@]}" | grep -v -e '^web/src/api/schema.ts$' | xargs -r -d '\n' wc -l |
  awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }' |
  rule 'A file over 500 lines wants to be split (300 is the aim):'

in_files '"resolved": *"https?:' '*package-lock.json' '*npm-shrinkwrap.json' | head -n 5 |
  rule 'A lock file names a registry. Run npm with omit-lockfile-registry-resolved=true:'

ours | grep -v -e '^Cargo.lock$' | xargs -r -d '\n' grep -nHIF -e "$ROOT/" -e "${GATE_ORIGIN:-$ROOT}/" 2>/dev/null |
  rule 'A path of this machine is in a file:'

in_files '(TODO|FIXME|XXX)([^(]|$)' "${SOURCES[@]}" | grep -v '^scripts/rules.sh:' |
  rule 'A TODO without an issue, write TODO(#12):'

in_files '#!?\[(allow|expect)\(' '*.rs' | grep -v 'reason = "' |
  rule 'Say why a lint does not apply: #[expect(lint, reason = "...")], or allow where it only sometimes does:'

in_files '^\s*#\[ignore|\b(it|test|describe)\.(only|skip|fixme)\(|pytest\.mark\.(skip|xfail)\b' "${SOURCES[@]}" |
  grep -v -e '^scripts/rules.sh:' -e '#\[ignore = "it is the process that' |
  rule 'A test that is switched off, or one that switches the others off:'

in_files '^export \* from|^export \{.*\} from' 'web/src/*index.ts' 'web/src/*index.tsx' |
  rule 'No barrel files: import the file itself:'

[ "$broken" = 0 ] || die "$broken house rules are broken."
