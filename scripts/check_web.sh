#!/bin/sh
# The script of the page: installs what web/ needs, checks that the committed bundle matches its
# sources, and runs its tests. Without npm or the network it says what was not run; with CI=true
# that is a failure.
set -eu
cd "$(dirname "$0")/../web"

not_run() {
    echo "Not run: the tests of web/, for want of $1." >&2
    [ "${CI:-}" != true ] || exit 1
    exit 0
}

command -v npm >/dev/null || not_run npm
if ! cmp -s package-lock.json node_modules/.installed 2>/dev/null; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || not_run "packages of npm (no network?)"
    cp package-lock.json node_modules/.installed
fi
npm run --silent check
npm run --silent test
