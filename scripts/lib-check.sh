# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Checks with a verdict, on stdout; to be sourced after lib.sh.

passed=0 failed=0

# check WHAT COMMAND…: the command's output is the reason of a failure. It runs
# in a shell of its own, where any failing command ends it (`set -e` is off
# inside `if`, hence the detour by its status).
check()
{
	local what=$1 reason status lines=25
	shift
	[[ $V == 1 ]] && lines=1000
	set +e
	reason=$(set -e; "$@" 2>&1)
	status=$?
	set -e
	if ((status == 0)); then
		printf 'ok - %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n' "$what"
		printf '%s\n' "${reason:-status $status}" | head -n "$lines" | sed 's/^/#   /'
		failed=$((failed + 1))
	fi
}

# The last line, and the exit status.
verdict()
{
	printf '%s passed, %s failed\n' "$passed" "$failed"
	((failed == 0 && passed > 0))
}
