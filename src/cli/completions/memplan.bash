# bash completion for memplan. All names come from the program: --help has the
# commands, their options and what these take, list has the rows of tables.

# What the option takes: FILE, BYTES, "on|off", PLANNER, ...
_memplan_argument()
{
	"$1" "$2" --help 2>/dev/null | sed -n "s/^  $3 \([^ ]\{1,\}\)\( .*\)*$/\1/p"
}

_memplan()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
	local words='' argument=''

	# The shell makes three words of --name=value.
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$("$program" --help 2>/dev/null |
			sed -n '/^commands/,$s/^  \([a-z]*\) .*/\1/p')"
		words="$words help version --help --version"
	else
		case $prev in -*)
			argument=$(_memplan_argument "$program" "$command" "$prev") ;;
		esac
		case $argument,$command,$cur in
		*'|'*,*) words=${argument//|/ } ;;
		[A-Z]*,*) words=$({
			"$program" list "$(printf %ss "$argument" | tr A-Z a-z)"
			[ "$argument" != PLANNER ] || "$program" list peers
			} 2>/dev/null | sed 's/ .*//') ;;
		,*,-*) words=$("$program" "$command" --help 2>/dev/null |
			sed -n 's/^  \(--*[a-z-]*\) .*/\1/p') ;;
		,list,*) words=$("$program" list tables 2>/dev/null |
			sed 's/ .*//') ;;
		esac
		case $argument,$command,$cur in
		FILE,* | ,list,* | ,*,-*) ;;
		,*) argument=FILE ;;
		esac
	fi
	if [ "$argument" = FILE ]; then
		COMPREPLY=($(compgen -f -- "$cur"))
	else
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	fi
}
complete -o filenames -F _memplan memplan
