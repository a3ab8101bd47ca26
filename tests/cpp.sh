#!/usr/bin/env bash
# The public headers compile as C++17 without warnings.
#   tests/cpp.sh INCLUDE-FOLDER
set -euo pipefail
for compiler in g++ clang++; do
  if command -v "$compiler" >/dev/null; then
    echo '#include "footfall/footfall.h"
int main() { ff_run_options options = ff_run_options_default(); return options.output_count; }' |
      "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$1" -x c++ -
    echo "1 passed, 0 failed, 0 skipped"
    exit
  fi
done
echo "SKIP headers as C++: no C++ compiler"
echo "0 passed, 0 failed, 1 skipped"
