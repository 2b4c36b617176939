#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
#
# completion.bash SOURCE_FOLDER PROGRAM: what bash offers after some beginnings of a command line.
set -uo pipefail  # a compgen that offers nothing fails

cd "$1"
PATH="$(dirname "$2"):$PATH"
source apps/completion/tessera.bash
compopt() { :; }  # works during a completion only

failed=0
expect() {  # offers, then the words of the line, the last of them begun
  local wanted="$1"
  COMP_WORDS=("${@:2}")
  COMP_CWORD=$(($# - 2))
  _tessera "$2"
  local found=" ${COMPREPLY[*]} "
  [[ "$found" == *" $wanted "* ]] || { printf 'after "%s": "%s" instead of "%s"\n' "${*:2}" "${COMPREPLY[*]}" "$wanted"; failed=1; }
}

program="$(basename "$2")"
expect inputs/gbees/quickstart.yaml "$program" inputs/gbees/q
expect inputs/gbees "$program" inputs/gb
expect --validate "$program" --val
expect -o "$program" -
expect openmp "$program" --backend o
expect grid.threshold= "$program" inputs/gbees/quickstart.yaml grid.th
expect time.end= "$program" --print-defaults time.e
exit "$failed"
