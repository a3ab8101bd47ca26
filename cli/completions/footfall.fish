# Completion of footfall for fish. Verbs and options come from the program's own help.
function __footfall_verbs
    footfall --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  *\([a-z].*\)/\1\t\2/p' | grep -v '^footfall'
    echo help
end
function __footfall_options
    set -l words (commandline -opc)
    footfall $words[2] --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u
end
complete -c footfall -n '__fish_use_subcommand' -f -a '(__footfall_verbs)'
complete -c footfall -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__footfall_options)'
