#!/usr/bin/env bash
# The program under valgrind: no leak and no bad access after success and after every kind of
# error, and the exit code that was promised. Scenes are cut short: valgrind is slow and the
# first steps allocate all that a run ever will. What a library keeps for itself and can still
# reach at the end (HDF5's error stack) is no leak.
#   tests/no_leaks.sh PROGRAM
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ! -x $program ]]; then
  echo "SKIP valgrind: there is no program yet"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# one EXIT-CODE ARGUMENT...: prints "ok" or what went wrong.
one() {
  local expected=$1 status=0 said
  shift
  said=$(timeout 300 valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
    --show-leak-kinds=definite,indirect,possible --error-exitcode=99 "$program" "$@" 2>&1 >/dev/null </dev/null) || status=$?
  if [[ $status == "$expected" ]]; then
    echo ok
  else
    printf 'FAILED footfall %s: exit %d, expected %d\n%s\n' "$*" "$status" "$expected" "$said"
  fi
}
export -f one
export program

# in_parts N EXIT-CODE VERB FILE...: N cases of that verb that share the files. Starting valgrind
# takes longer than most files do; that each is refused or not is for other tests to tell.
in_parts() {
  local parts=$1 code=$2 verb=$3 i
  shift 3
  local each=$((($# + parts - 1) / parts))
  for ((i = 1; i <= $#; i += each)); do
    case_of "$code" "$verb" "${@:i:each}"
  done
}

# One case a line, its words separated by tabs: the exit code, then the arguments.
case_of() {
  local IFS=$'\t'
  echo "$*"
}

cases() {
  local scene
  for scene in "$root"/scenes/*.yaml; do
    case_of 0 run "$scene" --set duration=0.01 -o "$work/$(basename "$scene").csv"
  done
  for scene in bouncing-ball planar-biped card-house; do # the writer does not know who moves
    case_of 0 run "$root/scenes/$scene.yaml" --set duration=0.01 -o "$work/$scene.h5"
  done
  in_parts 2 0 check "$root"/scenes/*.yaml "$root"/scenes/robots/*.urdf
  in_parts 4 2 check "$root"/tests/bad-scenes/*.*
  # A build without npm refuses reports with 1.
  local ball=$root/scenes/bouncing-ball.yaml paged=0
  "$program" run "$ball" -q --set duration=0.01 -o "$work/seen.h5"
  "$program" view "$work/seen.h5" -o "$work/seen.html" 2>/dev/null || paged=$?
  case_of "$paged" run "$ball" --set duration=0.01 --report "$work/ball.html"
  case_of 1 run "$ball" --set duration=0.01 --report "$work/no/such/folder.html"
  case_of "$paged" view "$work/seen.h5" -o "$work/again.html"
  case_of 2 view "$ball"
  case_of 0 --help
  case_of 0 laws
  case_of 0 laws hunt-crossley
  case_of 0 impact hunt-crossley --mass 1 --speed 0.5,1 --set k=1e4 --set alpha=0.4
  case_of 0 paper
  case_of 2 laws no-such-law
  case_of 2 paper no-such-paper
  case_of 2 paper azad-featherstone-2010 --data "$ball"
  case_of 2 paper brown-mcphee-2018 --data "$ball"
  case_of 2 impact hunt-crossley --mass -1 --speed 1
  case_of 2 impact hunt-crossley --mass 1 --speed 1 --set no_such=1
  case_of 2 no-such-verb
  case_of 2 run "$work/no-such-scene.yaml"
  case_of 2 run
}

cases >"$work/cases"
tr '\n\t' '\0\t' <"$work/cases" |
  xargs -0 -P "$(nproc)" -I '{}' bash -c 'IFS=$'"'\t'"' read -ra words <<<"$1"; one "${words[@]}"' _ '{}' \
    >"$work/results"
grep -v '^ok$' "$work/results" || true
passed=$(grep -c '^ok$' "$work/results" || true)
total=$(wc -l <"$work/cases")
echo "$passed passed, $((total - passed)) failed, 0 skipped"
((passed == total))
