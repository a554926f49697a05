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

# install_packages PACKAGES
install_packages() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "Installing Debian's $1"
    # shellcheck disable=SC2086  # several packages
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

# prefer PROGRAM: the package of that name, without which something else does
prefer() {
    has_one_of "$1" || install_packages "$1" || true
}

# require WHAT_FOR PACKAGES PROGRAM...
require() {
    what_for=$1 packages=$2
    shift 2
    has_one_of "$@" && return
    install_packages "$packages" && has_one_of "$@" && return
    echo "Not run: $what_for, for want of $1. On Debian: apt-get install $packages" >&2
    [ "${CI:-}" != true ] || status=1
}

# Chromium without a window takes a quarter of the time; where it cannot be had, the whole one does.
prefer chromium-headless-shell
require "the tests in a browser" chromium chromium-headless-shell chromium chromium-browser \
    google-chrome
if [ -f web/package.json ]; then
    require "the tests of web/" "nodejs npm" npm
fi
exit $status
