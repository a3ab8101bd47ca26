# Completion of footfall for bash. Verbs and options come from the program's own help.
_footfall() {
  local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $verb == help ]]; }; then
    mapfile -t COMPREPLY < <(compgen -W "help $(footfall --help 2>/dev/null |
      sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v '^footfall$')" -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(footfall "$verb" --help 2>/dev/null |
      grep -o -- '--[a-z][a-z-]*' | sort -u)" -- "$cur")
  elif [[ $verb == laws ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(footfall laws 2>/dev/null |
      sed -n 's/^\([a-z][a-z-]*\) .*/\1/p')" -- "$cur")
  else
    compopt -o default
  fi
}
complete -F _footfall footfall
