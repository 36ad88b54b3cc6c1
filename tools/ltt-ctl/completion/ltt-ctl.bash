# SPDX-License-Identifier: MIT
# Completion of ltt-ctl for bash. ltt-ctl itself tells what may stand where the cursor is.

_ltt_ctl()
{
	local -a words
	local word typed last before description

	# As ltt-ctl would get them: bash also breaks words at colons and equals signs.
	read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
	[[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=("")
	typed=${words[-1]}
	last=${COMP_WORDS[COMP_CWORD]}
	[[ $last == [:=] ]] && last=
	before=${typed%"$last"}

	COMPREPLY=()
	while IFS=$'\t' read -r word description; do
		case $word in
		:files | :directories)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
				compgen "$([[ $word == :files ]] && echo -f || echo -d)" -- "$last"
			)
			;;
		:command)
			if declare -F _command_offset >/dev/null; then
				_command_offset "$((description + 2))"
			elif ((${#words[@]} == description + 3)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$last")
			else
				compopt -o filenames 2>/dev/null
				mapfile -t COMPREPLY < <(compgen -f -- "$last")
			fi
			return
			;;
		*)
			COMPREPLY+=("${word#"$before"}")
			;;
		esac
	done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
	# More may follow a comma.
	[[ ${#COMPREPLY[@]} == 1 && $typed == *,* ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _ltt_ctl ltt-ctl
