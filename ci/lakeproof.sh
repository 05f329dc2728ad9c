#!/bin/sh
# Start a server, test it, stop it: docs/ci-in-ten-minutes.md. Other settings are variables: LAKEPROOF_API, LAKEPROOF_TOKEN, ...
#   LAKEPROOF_PACKAGE  what pip installs: a wheel, a folder or a URL
#   START              the command that starts the server; it stays in the foreground
#   URL                where the server answers
set -eu
: "${START:?must start your server}" "${URL:?must be where your server answers}"
[ -x .lakeproof/bin/lakeproof ] || {
  python3 -m venv .lakeproof
  .lakeproof/bin/pip install --quiet "${LAKEPROOF_PACKAGE:?must say what pip installs: a wheel, a folder or a URL}"
}
sh -c "exec $START" > server.log 2>&1 &
server=$!
trap '{ kill "$server" && wait "$server"; } 2>/dev/null || true' EXIT
.lakeproof/bin/lakeproof check "$URL" --wait 60 --jobs 2
