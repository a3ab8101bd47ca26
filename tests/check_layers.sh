#!/usr/bin/env bash
# The layer check is itself checked: each made-up violation must be found at its line, and
# what is allowed must pass. The last line counts, as every test script here does.
set -euo pipefail
check="$(cd "$(dirname "$0")/.." && pwd)/tools/check-layers"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
passed=0 failed=0

# try NAME FILE INCLUDE EXPECTED: FILE gets the include on its second line; EXPECTED is ""
# (allowed) or a part of the complaint.
try() {
  rm -rf "${root:?}"/*
  mkdir -p "$root/$(dirname "$2")" "$root/src/base"
  printf '/* first line */\n#include %s\n' "$3" > "$root/$2"
  touch "$root/cli/cli.h" 2>/dev/null || true
  local said status=0
  said=$("$check" "$root") || status=$?
  if [[ -z $4 && $status == 0 && -z $said ]] ||
     [[ -n $4 && $status != 0 && $said == "$2:2: "*"$4"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: status $status, said: $said"
  fi
}

try down_is_allowed           src/step/rk4.c     '"law/law.h"'         ''
try own_module_is_allowed     src/geom/box.c     '"geom/geom.h"'       ''
try public_is_allowed         src/base/report.c  '"footfall/status.h"' ''
try system_is_allowed         src/base/report.c  '<stdio.h>'           ''
try subfolder_is_its_module   src/step/quasi/x.c '"step/stepper.h"'  ''
try subfolder_may_not_go_up    src/step/quasi/x.c '"sim/sim.h"'     'step must not include sim'
try sim_ties_step_and_audit   src/sim/sim.c      '"audit/ledger.h"'    ''
try up_is_not                 src/math/vec.h     '"geom/geom.h"'       'math must not include geom'
try base_uses_nothing         src/base/report.c  '"math/vec.h"'        'base must not include math'
try peers_are_separate        src/law/law_none.c '"geom/geom.h"'       'law must not include geom'
try audit_uses_no_stepper     src/audit/ledger.c '"step/step.h"'       'audit must not include step'
try audit_uses_no_solver      src/audit/ledger.c '"solve/ncp.h"'       'audit must not include solve'
try io_uses_no_sim            src/io/csv.c       '"sim/sim.h"'         'io must not include sim'
try io_uses_no_stepper        src/io/csv.c       '"step/step.h"'       'io must not include step'
try control_may_use_the_tree  src/control/body.c    '"tree/tree.h"'       ''
try control_may_not_use_model src/control/body.c    '"model/model.h"'     'control must not include model'
try tree_may_not_use_control  src/tree/leg.c     '"control/walk.h"'       'tree must not include control'
try module_must_be_written    src/io/csv.c       '"csv.h"'             'write the module'
try no_way_through_dots       src/math/vec.h     '"../io/io.h"'        'is not allowed'
try no_way_through_brackets   src/math/vec.h     '<io/io.h>'           'included with quotes'
try cli_uses_public_headers   cli/run.c          '"footfall/sim.h"'    ''
try cli_uses_its_own          cli/run.c          '"cli.h"'             ''
try cli_uses_no_module        cli/run.c          '"base/memory.h"'     'only public headers'
try papers_share_a_header     papers/key/fig2.c  '"papers/paper.h"'    ''
try papers_are_separate       papers/key/fig2.c  '"papers/other/x.h"'  'neither a public header'
try papers_use_no_module      papers/key/fig2.c  '"sim/sim.h"'         'only public headers'
try papers_do_not_use_cli     papers/key/fig2.c  '"cli/cli.h"'         'neither a public header'
try cli_calls_papers          cli/paper.c        '"papers/paper.h"'    ''
try bench_calls_no_papers     bench/bench.c      '"papers/paper.h"'    'neither a public header'
try bench_uses_no_module      bench/bench.c      '"sim/sim.h"'         'only public headers'
try public_stays_public       include/footfall/x.h '"base/memory.h"'   'only public headers'
try indented_is_seen          src/math/vec.h     '  "io/io.h"'         'math must not include io'

# An unknown module is reported at its first line.
rm -rf "${root:?}"/*
mkdir -p "$root/src/attic"
echo '/* old things */' > "$root/src/attic/box.c"
said=$("$check" "$root" || true)
if grep -q '^src/attic/box.c:1: src/attic is not a module' <<<"$said"; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED unknown_module_is_reported"
fi

try sub_folder_is_its_module    src/step/quasi/solve.c '"step/quasi/problem.h"' ''
try sub_folder_has_its_layer  src/step/quasi/solve.c '"sim/sim.h"'     'step must not include sim'
try sub_folder_is_written     src/step/rk4.c     '"quasi/problem.h"'   'write the module'

# link NAME FILE CALL EXPECTED: objects of FILE, which calls CALL, and of src/step/quasi/step.c,
# which defines ff_step_it, and src/base/report.c, which defines ff_report_it. Includes are clean.
link() {
  local said status=0 file object
  rm -rf "${root:?}"/*
  mkdir -p "$root/$(dirname "$2")" "$root/src/step/quasi" "$root/src/base"
  echo 'int ff_step_it(void); int ff_step_it(void) { return 1; }' >"$root/src/step/quasi/step.c"
  echo 'int ff_report_it(void); int ff_report_it(void) { return 1; }' >"$root/src/base/report.c"
  echo "int $3(void); int ff_user(void); int ff_user(void) { return $3(); }" >"$root/$2"
  while read -r file; do
    object=$root/build/CMakeFiles/footfall.dir/$file.o
    mkdir -p "$(dirname "$object")"
    "${CC:-gcc}" -w -c -o "$object" "$root/$file"
  done < <(cd "$root" && find src -name '*.c')
  said=$("$check" "$root" "$root/build") || status=$?
  if [[ -z $4 && $status == 0 && -z $said ]] || [[ -n $4 && $status != 0 && $said == "$4" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: status $status, said: $said"
  fi
}

link elementary_functions_are_ours src/law/law_none.c log1p         "src/law/law_none.c: log1p: the C library's differs between systems: use math/elementary.h"
link linking_down_is_allowed    src/math/vec.c        ff_report_it ''
link linking_within_is_allowed  src/step/rk4.c        ff_step_it   ''
link sim_may_link_to_step       src/sim/sim.c         ff_step_it   ''
link libraries_are_left_alone   src/math/vec.c        rand         ''
link linking_up_is_not          src/math/vec.c        ff_step_it \
  'src/math/vec.c: ff_step_it: math must not use step (src/step/quasi/step.c)'
link audit_links_to_no_stepper  src/audit/ledger.c    ff_step_it \
  'src/audit/ledger.c: ff_step_it: audit must not use step (src/step/quasi/step.c)'
link sub_folders_link_by_layer  src/io/hdf5/record.c  ff_step_it \
  'src/io/hdf5/record.c: ff_step_it: io must not use step (src/step/quasi/step.c)'

# The last violation again, once its source is gone: its object is no longer looked at.
rm "$root/src/io/hdf5/record.c"
if "$check" "$root" "$root/build"; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED stale_objects_are_left_alone"
fi
# A build without objects proves nothing.
mkdir -p "$root/empty"
if "$check" "$root" "$root/empty" 2>/dev/null; then
  failed=$((failed + 1))
  echo "FAILED no_objects_is_a_failure"
else
  passed=$((passed + 1))
fi

echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
