# fish completion for memplan. All names come from the program: --help has the
# commands, their options and what these take, list has the rows of tables.

# What follows the words so far: commands, options, or values of an option.
function __memplan_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -l command $words[2]
    if test (count $words) -eq 1
        $program --help 2>/dev/null |
            string replace -rf '^  (?=.{33}(.*))([a-z]+) .*$' '$2\t$1'
        return
    end
    set -l option $words[-1]
    set -l before (string match -r -- '^--[a-z-]+=' (commandline -ct))
    test -n "$before"; and set option (string trim -rc = -- $before)
    set -l argument ($program $command --help 2>/dev/null |
        string replace -rf -- '^  '$option' (\S+)( .*)?$' '$1')
    set -l text (string replace -- "$before" '' (commandline -ct))
    __memplan_values "$argument" "$text" $program $command |
        string replace -r '^' -- "$before"
end

# What an option takes that has this argument; without one, what may follow.
function __memplan_values
    set -l argument $argv[1]
    set -l text $argv[2]
    set -l program $argv[3]
    set -l command $argv[4]
    switch "$argument"
        case '*|*'
            string split '|' -- $argument
        case FILE
            __fish_complete_path "$text"
        case ''
            $program $command --help 2>/dev/null |
                string replace -rf '^  (--?[a-z-]+) +(.*)$' '$1\t$2'
            if test "$command" = list
                $program list tables | string replace -r ' +' '\t'
            else
                __fish_complete_path "$text"
            end
        case '*'
            begin
                $program list (string lower -- $argument)s
                test $argument != PLANNER; or $program list peers
            end 2>/dev/null | string replace -r ' +' '\t'
    end
end

complete -c memplan -f -a '(__memplan_complete)'
