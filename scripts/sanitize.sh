#!/usr/bin/env bash
# sanitize.sh [address|thread]…: every test under ASan + UBSan; those of rooms with threads or transports under TSan.
# Without an argument both.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build fabric
cd "$HEDDLE_ROOT"
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}

address() {
  step "building with ASan + UBSan"
  build_preset asan
  step "tests under ASan + UBSan"
  ctest --preset asan -j "$HEDDLE_JOBS"
}

thread() {
  step "building with TSan"
  build_preset tsan daemon_test mad_test counters_test discovery_test opensm_plugin_test opensm_plugin_load_check heddle_opensm heddled heddle
  step "tests under TSan"
  ctest --preset tsan -j "$HEDDLE_JOBS" -R '^(daemon|mad|counters|discovery|opensm_plugin)\.'
  step "integration under TSan"
  ctest --preset tsan -R '^integration\.(changes|counters|life)$'
}

[ $# -gt 0 ] || set -- address thread
for kind in "$@"; do
  case $kind in
    address | thread) "$kind" ;;
    *) die "sanitize: address or thread, not '$kind'" ;;
  esac
done
