#!/usr/bin/env bash
# The same scene gives the same bytes whichever compiler and optimisation built the program.
#   tests/same_bits.sh BUILD-FOLDER OTHER-BUILD-FOLDER...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
builds=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

shopt -s nullglob
scenes=("$root"/scenes/*.yaml)
if [[ ! -x ${builds[0]}/footfall ]] || ((${#scenes[@]} == 0)); then
  echo "SKIP same bits: there is no program or no scene yet"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

for scene in "${scenes[@]}"; do
  name=$(basename "$scene" .yaml)
  for i in "${!builds[@]}"; do
    # A run whose audit complains ends with 1 and still writes its recording.
    "${builds[$i]}/footfall" run "$scene" --quiet -o "$work/$name-$i.csv" || true
  done
  for ((i = 1; i < ${#builds[@]}; i++)); do
    if cmp "$work/$name-0.csv" "$work/$name-$i.csv"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED $name: $(basename "${builds[0]}") and $(basename "${builds[$i]}") differ"
    fi
  done
done
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
