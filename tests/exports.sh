#!/usr/bin/env bash
# The shared library exports exactly the functions that the public headers declare.
#   tests/exports.sh HEADER-FOLDER LIBRARY.so
set -euo pipefail
headers=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without comments and preprocessor lines, `ff_name(` stands in declarations only; functions that
# are static have no symbol.
cat "$headers"/*.h | perl -0pe 's{/\*.*?\*/}{}gs; s{^[ \t]*#(?:[^\n]*\\\n)*[^\n]*}{}gm;
  s{^static\b[^;\{]*}{}gm' | grep -oE '\bff_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
[[ -s $work/declared ]] || { echo "no declarations in $headers" >&2; exit 1; }

comm -23 "$work/declared" "$work/exported" | sed 's/$/: declared in a public header, not exported/' \
  >"$work/wrong"
comm -13 "$work/declared" "$work/exported" | sed 's/$/: exported, not declared in a public header/' \
  >>"$work/wrong"
cat "$work/wrong"
both=$(comm -12 "$work/declared" "$work/exported" | wc -l)
failed=$(wc -l <"$work/wrong")
echo "$both passed, $failed failed, 0 skipped"
((failed == 0))
