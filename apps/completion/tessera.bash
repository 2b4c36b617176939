# SPDX-FileCopyrightText: 2026 The Tessera developers
# SPDX-License-Identifier: BSD-3-Clause
#
# Completion of the tessera programs in bash: options, their values, inputs and overrides. `cmake --install` puts it where bash looks for
# it; from the build folder: source apps/completion/tessera.bash

# Options that a program lists itself, so that none can be forgotten here.
_tessera_options() { "$1" --help 2>/dev/null | grep -oE -- '^ +(-[a-z],)?--?[a-z-]+' | tr ',' '\n' | tr -d ' '; }

# Keys for overrides, section.key=, from the page of parameters that the program prints.
_tessera_keys() {
  "$1" --print-defaults --markdown 2>/dev/null | awk -F '`' '
    /^##+ `/ { section = $2 "." }
    /^## Top/ { section = "" }
    /^\| `/ && section !~ /\[\]/ && !seen[section $2]++ { print section $2 "=" }'
}

_tessera() {
  local program="$1" word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  case "$before" in
    --backend) mapfile -t COMPREPLY < <(compgen -W 'auto serial openmp cuda' -- "$word"); return ;;
    --progress) mapfile -t COMPREPLY < <(compgen -W 'auto on off' -- "$word"); return ;;
    -o | --output | --restart) mapfile -t COMPREPLY < <(compgen -f -X '!*.h5' -- "$word"; compgen -d -- "$word"); return ;;
    --seed) return ;;
  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tessera_options "$program")" -- "$word")
  elif [[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " =~ (\.ya?ml|--print-defaults)\  ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tessera_keys "$program")" -- "$word")
    compopt -o nospace
  else
    mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- "$word"; compgen -f -X '!*.yml' -- "$word"; compgen -d -- "$word")
  fi
}

complete -o filenames -F _tessera tessera-bessel tessera-boys tessera-gbees tessera-gp tessera-mpr tessera-stable
