#!/usr/bin/env bash
# The same scene gives the same bytes whichever compiler and optimisation built the program.
#   tests/same_bits.sh BUILD-FOLDER OTHER-BUILD-FOLDER...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
export work
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ! -x $1/footfall ]]; then
  echo "SKIP same bits: there is no program yet"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# one SCENE BUILD-FOLDER OTHER...: a line for each of the others.
one() {
  local scene=$1 first=$2 name build
  name=$(basename "$scene" .yaml)
  shift
  for build in "$@"; do
    # A run whose audit complains ends with 1 and still writes its recording.
    "$build/footfall" run "$scene" --quiet -o "$work/$name-$(basename "$build").csv" || true
  done
  shift
  for build in "$@"; do
    if cmp "$work/$name-$(basename "$first").csv" "$work/$name-$(basename "$build").csv"; then
      echo ok
    else
      echo "FAILED $name: $(basename "$first") and $(basename "$build") differ"
    fi
  done
}
export -f one

printf '%s\0' "$root"/scenes/*.yaml |
  xargs -0 -P "$(nproc)" -I '{}' bash -c 'one "$@"' _ '{}' "$@" >"$work/results" 2>&1
grep -v '^ok$' "$work/results" || true
passed=$(grep -c '^ok$' "$work/results" || true)
failed=$(grep -c '^FAILED' "$work/results" || true)
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0 && passed > 0))
