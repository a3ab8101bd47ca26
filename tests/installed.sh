#!/usr/bin/env bash
# Installs the library, static and shared, and builds a small program against each as a
# stranger would: once with find_package, once with pkg-config. The program is the README's; with
# pkg-config those of examples/ as well.
#   tests/installed.sh STATIC-BUILD-FOLDER SHARED-BUILD-FOLDER WORK-FOLDER
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
declare -A builds=([static]=$1 [shared]=$2)
mkdir -p "$3"
work=$(cd "$3" && pwd)
passed=0 failed=0
cd "$root" # where the README's program finds its scene

consumer=$work/consumer
mkdir -p "$consumer"
cp tests/consumer/CMakeLists.txt "$consumer"
sed -n '/^```c$/,/^```$/{/^```/!p}' README.md >"$consumer/main.c"

check() {
  local name=$1 log=$work/$1.log
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name"
    cat "$log"
  fi
}

# A fresh prefix each time, so that nothing old is found.
install_library() {
  rm -rf "${work:?}/$1"
  cmake --install "${builds[$1]}" --prefix "$work/$1" &&
    [[ -f $work/$1/share/man/man1/footfall.1 ]] &&
    compgen -G "$work/$1/lib/libfootfall.$([[ $1 == shared ]] && echo so || echo a)"
}

with_cmake() {
  local build=$work/consumer-cmake-$1
  rm -rf "$build"
  cmake -S "$consumer" -B "$build" -G Ninja -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_PREFIX_PATH="$work/$1" &&
    ninja -C "$build" && "$build/consumer"
}

# The words of pkg-config are meant to be split.
with_pkg_config() {
  local program=$work/consumer-pkg-config-$1 source
  export PKG_CONFIG_PATH=$work/$1/lib/pkgconfig LD_LIBRARY_PATH=$work/$1/lib
  for source in "$consumer/main.c" "$root"/examples/*.c; do
    # shellcheck disable=SC2046
    gcc -O1 -o "$program" "$source" $(pkg-config --cflags --libs footfall) -lm &&
      "$program" || return 1
  done
}

installed_program() {
  "$work/$1/bin/footfall" --help
}

for kind in static shared; do
  check "install-$kind" install_library "$kind"
  check "cmake-$kind" with_cmake "$kind"
  check "pkg-config-$kind" with_pkg_config "$kind"
  [[ ! -d $root/cli ]] || check "program-$kind" installed_program "$kind"
done
echo "$passed passed, $failed failed, 0 skipped"
((failed == 0))
