#!/usr/bin/env bash
# fuzz.sh [SECONDS]: every libFuzzer target on its corpus; finds stay in build/fuzz/finds. HEDDLE_FUZZ_SEED makes a run
# that can be had again.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

seconds=${1:-20}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "fuzz: seconds, not '$seconds'"
"$HEDDLE_ROOT/scripts/setup.sh" build lint
step "building the fuzz targets"
build_preset fuzz fuzz_targets

shopt -s nullglob
targets=("$HEDDLE_ROOT"/build/fuzz/tests/fuzz/*_fuzz)
[ ${#targets[@]} -gt 0 ] || die "no fuzz targets were built"
finds=$HEDDLE_ROOT/build/fuzz/finds
mkdir -p "$finds"
found=()
for target in "${targets[@]}"; do
  name=$(basename "$target" _fuzz)
  corpus=$HEDDLE_ROOT/tests/fuzz/corpus/$name
  [ -d "$corpus" ] || die "no corpus for $name: $corpus"
  step "fuzz $name, ${seconds} s"
  # New inputs go to a folder of the build, never into the checked-in corpus.
  grown=$HEDDLE_ROOT/build/fuzz/corpus/$name
  mkdir -p "$grown"
  log=$finds/$name.log
  if ! "$target" -seed="${HEDDLE_FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$finds/$name-" "$grown" "$corpus" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    found+=("$name")
    continue
  fi
  grep -E 'number_of_executed_units|new_units_added' "$log" || tail -n 3 "$log"
done
[ ${#found[@]} -eq 0 ] || die "fuzz: finds in: ${found[*]}; the inputs are in $finds"
step "fuzz: ${#targets[@]} targets, nothing found"
