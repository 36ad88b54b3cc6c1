# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What all scripts share; to be sourced after `set -euo pipefail`.
# Everything for people goes to stderr: stdout belongs to a script's answer.

LTT_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LTT_CACHE=${LTT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ltt}
V=${V:-0}
JOBS=${JOBS:-$(nproc)}
# The locale must change neither sort orders nor the messages that are parsed.
export LC_ALL=C V JOBS LTT_CACHE

say()
{
	printf '%s\n' "$*" >&2
}

# One clear line: which object, what is wrong, what to do.
die()
{
	progress_end
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

usage_error()
{
	printf '%s: %s (see %s --help)\n' "${0##*/}" "$*" "${0##*/}" >&2
	exit 2
}

# need_arg "$@": dies unless the option $1 is followed by something.
need_arg()
{
	(($# >= 2)) || usage_error "$1 needs an argument"
}

# Prints the comment at the head of the calling script as its help.
show_help()
{
	sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$0"
}

need()
{
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null ||
			die "the tool '$tool' is missing: run scripts/setup"
	done
}

# progress DONE TOTAL WHAT: one line that updates itself on a terminal, else a
# line for every tenth of the way. A TOTAL of 0 is unknown.
progress_shown=-1
progress_open=0
progress()
{
	local done=$1 total=$2 what=$3 text tenth
	if ((total > 0)); then
		text="$what: $done of $total"
		tenth=$((done * 10 / total))
	else
		text="$what: $done"
		tenth=$((done / 100))
	fi
	if [[ -t 2 ]]; then
		printf '\r\033[K  %s' "$text" >&2
		progress_open=1
	elif ((tenth != progress_shown)); then
		printf '  %s\n' "$text" >&2
	fi
	progress_shown=$tenth
}

progress_end()
{
	if ((progress_open)); then
		printf '\r\033[K' >&2
	fi
	progress_open=0
	progress_shown=-1
}

# run_logged LOG COMMAND…: quiet unless V=1; when the command fails, the end of
# what it said is shown.
run_logged()
{
	local log=$1 status=0
	shift
	if [[ $V == 1 ]]; then
		"$@" 2>&1 | tee -a "$log" >&2 || status=$?
	else
		"$@" >>"$log" 2>&1 || status=$?
	fi
	if ((status)) && [[ $V != 1 ]]; then
		tail -n 30 "$log" >&2
	fi
	return "$status"
}

# need_space DIR MEGABYTES WHAT: dies unless that much is free where DIR lies.
need_space()
{
	local dir=$1 wanted=$2 what=$3 free
	free=$(df -Pm "$dir" | awk 'NR == 2 { print $4 }')
	((free >= wanted)) ||
		die "no disk space in $dir for $what: $free MB free, $wanted MB needed; make room, or set LTT_CACHE to another directory"
}

# Seconds since the epoch that `took` counts from.
now()
{
	printf '%(%s)T' -1
}

# took START: "12 s" or "3 min 05 s"
took()
{
	local s=$(($(now) - $1))
	if ((s < 60)); then
		printf '%d s' "$s"
	else
		printf '%d min %02d s' $((s / 60)) $((s % 60))
	fi
}

# Prints 6.12 for the kernel tree DIR.
kernel_version_of()
{
	[[ -f $1/Makefile ]] && awk -F ' *= *' '
		$1 == "VERSION" { v = $2 }
		$1 == "PATCHLEVEL" { print v "." $2; found = 1; exit }
		END { exit !found }' "$1/Makefile"
}

# The kernel versions that the series has hooks for, a line each, the oldest first.
series_versions()
{
	find "$LTT_TOP/kernel-patches" -maxdepth 1 -type d -name '[0-9]*' -printf '%f\n' | sort -V
}

# Dies unless the series has hooks for this kernel version.
need_series_for()
{
	local version=$1 known
	[[ -d $LTT_TOP/kernel-patches/$version ]] && return
	known=$(series_versions | paste -sd ' ')
	die "kernel $version is not known to the series (kernel-patches/$version does not exist); known: ${known:-none yet}"
}
