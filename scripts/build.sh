#!/usr/bin/env bash
# build.sh [TARGET…]: the release preset, in build/release.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build
configure release
# In this shell's place: whoever ends the build ends ninja, and ninja its compilers.
exec ninja -C "$HEDDLE_ROOT/build/release" -j "$HEDDLE_JOBS" "$@"
