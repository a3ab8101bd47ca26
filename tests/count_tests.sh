#!/usr/bin/env bash
# The counter is itself checked: what ctest can report, against what it must add up to.
set -euo pipefail
count="$(cd "$(dirname "$0")/.." && pwd)/tools/count-tests"
file=$(mktemp)
trap 'rm -f "$file"' EXIT
passed=0 failed=0

# try NAME EXPECTED STATUS TEXT: one test program that ended so and printed that.
try() {
  {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo "	<testcase name=\"made_up\" classname=\"made_up\" time=\"0.1\" status=\"$3\">"
    echo "$4"
    echo '	</testcase>'
  } >"$file"
  local said
  said=$("$count" "$file")
  if [[ $said == "$2" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: expected $2, said $said"
  fi
}

try silent_program_is_one    '1 passed, 0 failed, 0 skipped' run  '<system-out></system-out>'
try cmocka_is_counted        '4 passed, 0 failed, 0 skipped' run  '[  PASSED  ] 4 test(s).'
try cmocka_groups_add_up     '7 passed, 0 failed, 0 skipped' run  $'[  PASSED  ] 4 test(s).\n[  PASSED  ] 3 test(s).'
try cmocka_failures          '3 passed, 2 failed, 0 skipped' fail $'[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] some_test'
try cmocka_skips             '3 passed, 0 failed, 1 skipped' run  $'[  PASSED  ] 3 test(s).\n[  SKIPPED ] 1 test(s), listed below:'
try crash_after_good_words   '3 passed, 1 failed, 0 skipped' fail '[  PASSED  ] 3 test(s).'
try crash_without_words      '0 passed, 1 failed, 0 skipped' fail '<system-out>Segmentation fault</system-out>'
try script_counts_itself     '5 passed, 1 failed, 2 skipped' fail '<system-out>5 passed, 1 failed, 2 skipped'
try skipped_as_a_whole       '0 passed, 0 failed, 1 skipped' notrun '<skipped message="SKIP_RETURN_CODE=77"/>'
try missing_program_fails    '0 passed, 1 failed, 0 skipped' notrun '<skipped message="Unable to find executable"/>'

echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
