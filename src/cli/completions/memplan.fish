# fish completion for memplan. All names come from the program: --help has the
# commands, their options and what these take, list has the rows of tables.

# What follows the words so far: commands, options, or values of an option.
function __memplan_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -l command $words[2]
    if test (count $words) -eq 1
        $program --help 2>/dev/null |
            string replace -rf '^  ([a-z]+) .{24}(\S.*)$' '$1\t$2'
        return
    end
    set -l argument ($program $command --help 2>/dev/null |
        string replace -rf -- '^  '$words[-1]' (\S+) .*$' '$1')
    switch "$argument"
        case '*|*'
            string split '|' -- $argument
        case FILE
            __fish_complete_path (commandline -ct)
        case ''
            $program $command --help 2>/dev/null |
                string replace -rf '^  (--?[a-z-]+) +(.*)$' '$1\t$2'
            if test "$command" = list
                $program list tables | string replace -r ' +' '\t'
            else
                __fish_complete_path (commandline -ct)
            end
        case '*'
            begin
                $program list (string lower -- $argument)s
                test $argument != PLANNER; or $program list peers
            end 2>/dev/null | string replace -r ' +' '\t'
    end
end

complete -c memplan -f -a '(__memplan_complete)'
