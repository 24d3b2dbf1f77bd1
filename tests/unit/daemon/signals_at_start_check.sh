#!/bin/sh
# A reader of "listens on" may signal at once: SIGHUP must not end heddled, SIGTERM end it in order.
# usage: signals_at_start_check.sh HEDDLED
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/out"
for round in 1 2 3 4 5; do
  timeout 20 "$1" --listen 127.0.0.1:0 >"$folder/out" 2>"$folder/log" &
  watched=$!
  exec 3<"$folder/out"
  read -r line <&3
  # timeout(1) passes both on.
  kill -HUP "$watched"
  kill -TERM "$watched"
  status=0
  wait "$watched" || status=$?
  exec 3<&-
  if [ "$status" -ne 0 ]; then
    echo "round $round: status $status after \"$line\""
    cat "$folder/log"
    exit 1
  fi
done
echo "ended in order each time"
