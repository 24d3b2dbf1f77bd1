#!/usr/bin/env bash
# lint.sh: formatting, well-formed data files, layering, headers that compile alone; clang-tidy is ./run tidy.
# All checks run; the exit status is 1 if any has a finding.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$HEDDLE_ROOT/scripts/setup.sh" build fabric lint
cd "$HEDDLE_ROOT"
failed=()

# Also what is not committed yet.
sources() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

check() {
  local what=$1
  shift
  step "$what"
  "$@" || failed+=("$what")
}

format() { sources '*.cpp' '*.hpp' '*.c' '*.h' | xargs -r clang-format-14 --dry-run -Werror; }

data_files() {
  local status=0 file
  while read -r file; do
    python3 -m json.tool "$file" /dev/null || { echo "$file: not JSON" && status=1; }
  done < <(sources '*.json')
  while read -r file; do
    promtool check rules "$file" || status=1
  done < <(sources 'config/*rules*.yml' 'config/*rules*.yaml')
  if [ -f config/heddled.yaml ]; then
    build_preset release heddled >/dev/null || return 1
    "$(program_path heddled)" --check-config --config config/heddled.yaml || status=1
  fi
  return $status
}

scripts() {
  local status=0 file
  while read -r file; do
    bash -n "$file" || status=1
  done < <(
    echo run
    sources '*.sh' '.ci/*'
  )
  while read -r file; do
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1])' "$file" || status=1
  done < <(sources '*.py')
  return $status
}

layering() { python3 -B tests/layering/check_layering.py "$HEDDLE_ROOT"; }

headers() { build_preset release all_verify_interface_header_sets; }

check "format" format
check "data files" data_files
check "scripts" scripts
check "layering" layering
check "headers" headers

step "lint"
[ ${#failed[@]} -eq 0 ] || die "lint: findings in: ${failed[*]}"
echo "no findings"
