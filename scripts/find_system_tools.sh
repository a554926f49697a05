#!/bin/sh
# Looks for the programs that some tests need beside Python: Chromium, and Node for web/.
# Installs Debian's packages where it may; otherwise says which tests cannot run.
# With CI=true a missing program is a failure.
set -eu
cd "$(dirname "$0")/.."
status=0

has_one_of() {
    for program in "$@"; do
        command -v "$program" >/dev/null && return
    done
    return 1
}

# require WHAT_FOR PACKAGES PROGRAM...
require() {
    what_for=$1 packages=$2
    shift 2
    has_one_of "$@" && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing Debian's $packages for $what_for"
        # shellcheck disable=SC2086  # several packages
        if apt-get update -qq &&
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
                $packages >/dev/null && has_one_of "$@"; then
            return
        fi
    fi
    echo "Not run: $what_for, for want of $1. On Debian: apt-get install $packages" >&2
    [ "${CI:-}" != true ] || status=1
}

require "the tests in a browser" chromium chromium chromium-browser google-chrome
if [ -f web/package.json ]; then
    require "the tests of web/" "nodejs npm" npm
fi
exit $status
