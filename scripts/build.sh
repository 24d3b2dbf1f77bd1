#!/usr/bin/env bash
# build.sh [TARGET…]: the release preset, in build/release.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build
build_preset release "$@"
