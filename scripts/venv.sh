# Sets up what ./demo and ./test need: a virtual environment in the checkout with the project and its extras.
# Meant to be sourced; POSIX sh. Needs $root (the checkout).
#
#   ensure_venv EXTRAS             makes or updates $root/.venv with vsalang[EXTRAS]; sets $venv
#   install_into PYTHON WHAT...    installs WHAT with pip; with uv where VSALANG_INSTALLER=uv, which takes a quarter of
#                                  the processor's time but does not read pip's configuration
#
# Nothing is installed again while pyproject.toml, the digests of generated files and the interpreter are the same.

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $1"
  shift
  for line in "$@"; do say "  help: $line"; done
  exit 2
}

# Whether a command is a Python that can be used.
is_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
  for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.13 python3 python; do
    if is_python "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
    if [ "$candidate" = "${PYTHON-}" ]; then
      die "PYTHON=$PYTHON is not Python 3.11 or newer" "name another, or leave PYTHON unset"
    fi
  done
  die "no Python 3.11 or newer was found" \
    "install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.12)" \
    "or name one: PYTHON=/path/to/python3.11 $0"
}

install_into() {
  into=$1
  shift
  if [ "${VSALANG_INSTALLER:-pip}" = uv ]; then
    # What is built of this checkout is never taken from uv's cache.
    { [ -x "$venv/bin/uv" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv; } &&
      "$venv/bin/uv" pip install --quiet --refresh-package vsalang --python "$into" "$@" && return 0
    say "uv could not install this (see above); pip tries it now"
  fi
  "$into" -m pip install --quiet --disable-pip-version-check "$@"
}

ensure_venv() {
  venv=$root/.venv
  if ! { is_python "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }; then
    python=$(find_python) || exit 2
    say "Making a virtual environment in .venv with $("$python" --version) ..."
    "$python" -m venv --clear "$venv" || {
      rm -rf "$venv"
      die "could not make a virtual environment in $venv" \
        "Debian and Ubuntu keep this part apart: apt install python3-venv" \
        "is the disk full, or the checkout not writable?"
    }
  fi
  wanted=$({ cat "$root/pyproject.toml" "$root/grammars/generated.sha256"; printf '%s\n' "$1" "$root"; "$venv/bin/python" -VV; } | cksum) || exit 2
  stamp=$venv/.vsalang-installed-$(printf '%s' "$1" | tr ',' '-')
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
    say "Installing vsalang[$1] into .venv (once; a minute or two) ..."
    install_into "$venv/bin/python" --editable "$root[$1]" || die \
      "pip could not install what is needed (see above)" \
      "is the package index reachable? behind a proxy set HTTPS_PROXY, with a mirror PIP_INDEX_URL" \
      "then run $0 again; a damaged environment goes away with: rm -rf .venv"
    printf '%s\n' "$wanted" >"$stamp"
  fi
}
