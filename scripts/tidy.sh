#!/usr/bin/env bash
# tidy.sh [FILE…]: clang-tidy with the checks of .clang-tidy over all of src, or over the named files. Takes a quarter of
# an hour on two cores, so it is a command of its own.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build lint
cd "$HEDDLE_ROOT"
configure release >/dev/null
[ $# -gt 0 ] || mapfile -t files < <(git ls-files -- 'src/*.cpp' 'plugins/*.cpp')
[ $# -eq 0 ] || files=("$@")
step "clang-tidy over ${#files[@]} files"
# clang does not know two of g++'s warnings; what it thinks of the rest is g++'s business.
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$HEDDLE_JOBS" -n 1 clang-tidy-14 -p build/release --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-everything
echo "no findings"
