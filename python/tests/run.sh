#!/usr/bin/env bash
# The tests of the Python package, counted as "N passed, N failed, N skipped".
#   python/tests/run.sh PYTHON PACKAGE-FOLDER PROJECT
set -euo pipefail
python=$1 package=$2 project=$3
if ! "$python" -c 'import numpy, pytest' 2>/dev/null; then
  echo "SKIP Python tests: numpy or pytest is missing (Debian: python3-numpy, python3-pytest)"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
  "$python" -m pytest -q -rs -p no:cacheprovider "$project/python/tests" >"$log" 2>&1 || status=$?
cat "$log"
count() { grep -oE "[0-9]+ $1" "$log" | tail -n 1 | cut -d' ' -f1; }
failed=$(($(count failed || true) + $(count error || true) + 0))
((status == 0 || failed > 0)) || failed=1
# pytest's own words for the sum would be counted a second time.
echo "$(($(count passed || true) + 0)) passed, $failed failed, $(($(count skipped || true) + 0)) skipped"
((status == 0))
