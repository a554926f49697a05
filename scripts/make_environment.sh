#!/bin/sh
# Creates .venv where it is missing and installs rankbars in it, with the extras named in $1
# (commas between them) and the dependency groups of pyproject.toml named after that.
# Uses uv when it is there, else the venv and pip that come with Python.
# PYTHON names the interpreter; without it, the newest one that rankbars is tested on is taken.
set -eu
cd "$(dirname "$0")/.."
extras=${1:-}
[ $# -eq 0 ] || shift
groups="$*"
venv_python=.venv/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_PYTHON_DOWNLOADS=never

fits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3.14 python3.13 python3.12 python3.11 python3 python}; do
        if fits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "rankbars needs Python 3.11 or newer. Looked for: ${PYTHON:-python3.14 to python3.11, python3}." >&2
    echo "Install one, or name one: make PYTHON=/path/to/python3" >&2
    return 1
}

# Debian keeps the part of Python that makes virtual environments in a package of its own.
require_venv() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1 && return
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package" >&2
    else
        echo "$1 cannot make virtual environments. On Debian: apt-get install $package" >&2
        return 1
    fi
}

if ! fits "$venv_python"; then
    python=$(find_python)
    echo "Making .venv with $("$python" --version)"
    if command -v uv >/dev/null; then
        uv venv --quiet --clear --seed --python "$python" .venv
    else
        require_venv "$python"
        "$python" -m venv --clear .venv
    fi
fi

echo "Installing rankbars${extras:+ with its extras $extras}${groups:+ and the groups $groups} in .venv"
chosen=
for group in $groups; do
    chosen="$chosen --group $group"
done
# Names of groups have no spaces: they are meant to be taken apart.
# shellcheck disable=SC2086
if command -v uv >/dev/null; then
    uv pip install --quiet --python "$venv_python" --editable ".${extras:+[$extras]}" $chosen
else
    "$venv_python" -m pip --version >/dev/null 2>&1 || "$venv_python" -m ensurepip >/dev/null
    [ -z "$chosen" ] || "$venv_python" -m pip install --quiet "pip>=25.1"
    # Few of the modules that are installed are imported; those are compiled then, as with uv.
    "$venv_python" -m pip install --quiet --no-compile --editable ".${extras:+[$extras]}" $chosen
fi
