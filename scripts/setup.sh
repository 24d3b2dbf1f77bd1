#!/usr/bin/env bash
# Installs the packages of scripts/packages.txt that are missing. Costs nothing when none is.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

[ $# -gt 0 ] || set -- build fabric lint
wanted=()
for group in "$@"; do
  mapfile -t packages < <(awk -v want="[$group]" '
    /^\[/ { on = ($0 == want); next }
    on && NF && !/^#/ { print $1 }' "$HEDDLE_ROOT/scripts/packages.txt")
  [ ${#packages[@]} -gt 0 ] || die "no such group of packages: $group"
  wanted+=("${packages[@]}")
done

command -v dpkg-query >/dev/null || die "this is not Debian: install by hand: ${wanted[*]}"
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  awk '$1 == "installed" { print $2 }' || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "neither root nor sudo: cannot install ${missing[*]}"
  as_root=(sudo)
fi
step "installing ${#missing[@]} packages: ${missing[*]}"

# OpenSM and Prometheus are wanted as programs: as services they must not start by themselves, least of all on a
# machine that has a fabric.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
quiet=()
[ -t 1 ] || quiet=(-q)
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" -o Acquire::Retries=3 update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" -o Acquire::Retries=3 install -y \
  --no-install-recommends "${missing[@]}"
if [ -d /run/systemd/system ]; then
  for service in opensm prometheus; do
    if printf '%s\n' "${missing[@]}" | grep -qx "$service"; then
      "${as_root[@]}" systemctl disable "$service" >/dev/null 2>&1 ||
        echo "run: could not disable the service $service" >&2
    fi
  done
fi
