#!/usr/bin/env bash
# The check of exports is itself checked: on a small library that is as it should be, one that
# lacks a declared function, and one that shows a function too many.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
cp "$here/../include/footfall/api.h" "$work/include"
cat >"$work/include/small.h" <<'END'
#include "api.h"
#define ff_macro(x) \
  ff_not_this(x)
/* ff_nor_this(int) */
typedef void (*ff_callback)(int);
FF_API int ff_shown(ff_callback call,
                    int number);
static inline int ff_inline(void) { return 1; }
END
passed=0 failed=0

# try NAME CODE EXPECTED
try() {
  local said status=0
  printf '#include "small.h"\n%s\n' "$2" >"$work/small.c"
  "${CC:-gcc}" -shared -fPIC -fvisibility=hidden -I"$work/include" -o "$work/small.so" "$work/small.c"
  said=$("$here/exports.sh" "$work/include" "$work/small.so") || status=$?
  if [[ -z $3 && $status == 0 ]] || [[ -n $3 && $status != 0 && $said == "$3"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: status $status, said: $said"
  fi
}

shown='int ff_shown(ff_callback call, int number) { call(number); return ff_inline(); }'
try hidden_and_shown_are_as_declared "$shown int ff_hidden(void) { return 1; }" ''
try a_missing_function_is_named 'int ff_other(void) { return ff_inline(); }' 'ff_shown: declared'
try a_function_too_many_is_named "$shown FF_API int ff_extra(void) { return 1; }" 'ff_extra: exported'
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
