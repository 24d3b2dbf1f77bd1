#!/usr/bin/env bash
# test.sh [CTEST ARGUMENTS]: all tests on the release preset, which the demo and the benchmarks share; the sanitizer
# builds (sanitize.sh) run them with invariants checked. ctest has the last word.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build fabric
step "building"
build_preset release
step "testing"
cd "$HEDDLE_ROOT"
exec ctest --preset release -j "$HEDDLE_JOBS" "$@"
