#!/usr/bin/env bash
# Sweeps: the same results from any number of threads and processes, complete after any kill, and
# never exit code 0 while incomplete.
#   tests/sweep.sh PROGRAM
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# is NAME CONDITION...
is() {
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $name"; fi
}
status_of() { local code=0; "$@" >"$work/said" 2>&1 || code=$?; echo $code; }
export_of() { "$program" sweep --store "$1" --export - --quiet 2>/dev/null || true; }

sed 's/^duration: .*/duration: 0.2/; s/every: 5e-4/every: 5e-3/' "$root/scenes/bouncing-ball.yaml" >"$work/ball.yaml"
cat >"$work/study.yaml" <<'STUDY'
study: 1
scene: ball.yaml
vary:
  bodies.ball.mass: {from: 0.1, to: 1.0}
  contacts.0.normal.alpha: {from: 0.0, to: 0.5, count: 6}
design: {kind: latin-hypercube, samples: 300, seed: 3}
measure:
  peak: {channel: contact.ball:floor.force.n, take: max}
  rebound: {channel: body.ball.velocity.z, take: at, event: lift, pair: [ball, floor]}
STUDY

"$program" sweep "$work/study.yaml" --store "$work/one.db" --threads 1 --quiet
export_of "$work/one.db" >"$work/expected.csv"
is "300 rows and a heading" test "$(wc -l <"$work/expected.csv")" = 301

"$program" sweep "$work/study.yaml" --store "$work/three.db" --threads 3 --quiet
is "three threads give the same bytes" cmp -s "$work/expected.csv" <(export_of "$work/three.db")

if [[ -e $(dirname "$program")/footfall-mpi.so ]] && command -v mpiexec.mpich >/dev/null; then
  for n in 1 2 4; do
    mpiexec.mpich -n $n "$program" sweep "$work/study.yaml" --store "$work/mpi$n.db" --quiet
    is "$n processes give the same bytes" cmp -s "$work/expected.csv" <(export_of "$work/mpi$n.db")
  done
  # As if Open MPI's launcher had started two processes: each is alone.
  is "a launcher of another MPI is refused" test "$(OMPI_COMM_WORLD_SIZE=2 status_of "$program" \
    sweep "$work/study.yaml" --store "$work/other.db")" = 2
  is "its message says what to use" grep -q 'mpiexec.mpich' "$work/said"
  is "it writes no store" test ! -e "$work/other.db"
else
  skipped=$((skipped + 6))
  echo "SKIP sweeps under mpiexec: MPICH is not installed"
fi

# Killed at eight moments: what is there stays, the next command completes it.
for i in 1 2 3 4 5 6 7 8; do
  "$program" sweep "$work/study.yaml" --store "$work/killed.db" --threads 2 --quiet &
  sleep "0.$((i * 7 % 10))5"
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  [[ -e $work/killed.db ]] || continue
  rows=$(($(export_of "$work/killed.db" | wc -l) - 1))
  if ((rows >= 0 && rows < 300)); then
    is "an incomplete store has exit code 1" test "$(status_of "$program" sweep --store "$work/killed.db" --status)" = 1
  fi
done
is "a killed sweep completes" test "$(status_of "$program" sweep "$work/study.yaml" --store "$work/killed.db" --quiet)" = 0
is "with the same bytes" cmp -s "$work/expected.csv" <(export_of "$work/killed.db")

# A file that may not grow: the reason is told, and the sweep goes on later.
code=0
(ulimit -f 40; trap '' XFSZ; exec "$program" sweep "$work/study.yaml" --store "$work/full.db" --quiet) 2>"$work/said" || code=$?
is "a full disk has exit code 1, got $code" test "$code" = 1
is "then it completes" test "$(status_of "$program" sweep "$work/study.yaml" --store "$work/full.db" --quiet)" = 0
is "with the same bytes after a full disk" cmp -s "$work/expected.csv" <(export_of "$work/full.db")

# Other files and other studies are refused.
sed -i 's/seed: 3/seed: 4/' "$work/study.yaml"
is "a store of another study is refused" test "$(status_of "$program" sweep "$work/study.yaml" --store "$work/one.db")" = 2
is "with the reason" grep -q "another study" "$work/said"
is "a file of another kind is refused" test "$(status_of "$program" sweep "$work/study.yaml" --store "$work/ball.yaml")" = 2
is "and not changed" cmp -s "$work/ball.yaml" <(sed 's/^duration: .*/duration: 0.2/; s/every: 5e-4/every: 5e-3/' "$root/scenes/bouncing-ball.yaml")
is "no store" test "$(status_of "$program" sweep --store "$work/none.db" --status)" = 2

# bad TEXT WORDS: a study with this line instead is refused with these words.
bad() {
  printf 'study: 1\nscene: ball.yaml\n%s\n' "$1" >"$work/bad.yaml"
  is "refused: $2" test "$(status_of "$program" sweep "$work/bad.yaml" --store "$work/bad.db")" = 2
  is "said: $2, not: $(cat "$work/said")" grep -q -- "$2" "$work/said"
  is "no store is left: $2" test ! -e "$work/bad.db"
}
bad 'vary: {bodies.bal.mass: [1]}' "did you mean 'ball'"
bad 'vary: {bodies.ball.mass: {from: 1, to: 2}}' "a grid needs levels"
bad 'vary: {bodies.ball.mass: {normal: [1, -1]}}' "must not be negative"
bad 'vary: {bodies.ball.mass: [1]}
measure: {x: {channel: body.ball.position.w}}' "did you mean 'body.ball.position"
bad 'vary: {bodies.ball.mass: [1]}
measure: {x: {expression: "1 +"}}' "expected a number"
bad 'vary: {bodies.ball.mass: [1]}
design: {kind: sobal}' "did you mean 'sobol'"
bad 'varies: 1' "did you mean 'vary'"

# A failed run is a row with its reason.
cat >"$work/mixed.yaml" <<'STUDY'
study: 1
scene: ball.yaml
vary: {bodies.ball.mass: [0.1, -1, 0.3]}
measure: {peak: {channel: contact.ball:floor.force.n, take: max}}
STUDY
is "a sweep with a failed run is complete" test "$(status_of "$program" sweep "$work/mixed.yaml" --store "$work/mixed.db")" = 0
is "but not with --strict" test "$(status_of "$program" sweep "$work/mixed.yaml" --store "$work/mixed.db" --strict)" = 1
is "its reason is in the row" grep -q "^1,-1,,failed,.*greater than 0" <(export_of "$work/mixed.db")
"$program" sweep --store "$work/mixed.db" --report "$work/mixed.html" --quiet || true
is "the page names the failed run" grep -q '"state": "failed"' "$work/mixed.html"

echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
