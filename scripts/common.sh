# Sourced by ./run and the scripts beside this file.
# shellcheck shell=bash

HEDDLE_ROOT=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
# One cache entry serves checkouts in different places.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$HEDDLE_ROOT} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
HEDDLE_JOBS=${HEDDLE_JOBS:-$(nproc)}
export HEDDLE_ROOT HEDDLE_JOBS

die() {
  echo "run: $*" >&2
  exit 1
}

step() { printf '\n== %s\n' "$*"; }

# Where a built program stands, or the plugin; the name of its folder is that of its room.
program_path() {
  case $1 in
    heddle) echo "$HEDDLE_ROOT/build/release/src/cli/heddle" ;;
    heddled) echo "$HEDDLE_ROOT/build/release/src/daemon/heddled" ;;
    heddle_opensm) echo "$HEDDLE_ROOT/build/release/plugins/opensm/libheddle.so" ;;
    *) die "no such program: $1" ;;
  esac
}

# configure PRESET: only where it was not done yet; ninja itself sees changed CMake files.
configure() {
  [ -f "$HEDDLE_ROOT/build/$1/build.ninja" ] || (cd "$HEDDLE_ROOT" && cmake --preset "$1")
}

# build_preset PRESET [TARGET…]: ninja prints its progress.
build_preset() {
  local preset=$1
  shift
  configure "$preset"
  ninja -C "$HEDDLE_ROOT/build/$preset" -j "$HEDDLE_JOBS" "$@"
}
