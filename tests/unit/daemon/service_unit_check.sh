#!/bin/sh
# systemd-analyze verify returns 0 for unknown keys and only prints them: any output is a failure.
# The unit names the installed program; verify wants one that exists.
# usage: service_unit_check.sh UNIT PROGRAM
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed "s|^ExecStart=[^ ]*|ExecStart=$2|" "$1" >"$folder/heddled.service"
output=$(systemd-analyze verify --man=no "$folder/heddled.service" 2>&1) || true
if [ -n "$output" ]; then
  printf '%s\n' "$output"
  exit 1
fi
echo "no complaints"
