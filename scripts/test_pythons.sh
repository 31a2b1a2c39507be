#!/usr/bin/env bash
# The tests that a Python or an event loop may change, on every Python 3.11 to 3.14 that is here:
# those of sockets on asyncio and on uvloop, those of the wrapper on asyncio and trio. QUICK=1 takes
# the newest alone; the main tests run on the oldest in continuous integration.
set -uo pipefail
cd "$(dirname "$0")/.."

SHELL_TESTS="tests/test_stream.py tests/test_stream_sync.py tests/test_late.py tests/test_result.py
	tests/test_guard.py tests/test_policy.py tests/test_sse.py tests/test_cli.py
	tests/test_asgi.py tests/test_asgi_servers.py"
SOCKET_TESTS="tests/test_proxy.py tests/test_arriving.py tests/test_live.py tests/test_metrics.py
	tests/test_failure_modes_endings.py tests/test_workers.py tests/test_doors.py"

python_of() { # python_of 3.N: the path of one that works, nothing where there is none
	local found
	for found in "python$1" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
		if "$found" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
			echo "$found"
			return
		fi
	done
}

failed=
[ -z "${QUICK:-}" ] || VERSIONS="3.14 3.13 3.12"
for version in ${VERSIONS:-3.11 3.12 3.13 3.14}; do
	python=$(python_of "$version")
	if [ -z "$python" ]; then
		echo "Python $version: not here, skipped"
		continue
	fi
	place=.venv-pythons/$version
	if ! [ -e "$place/.installed" ]; then
		echo "Python $version: installing into $place"
		"$python" -m venv "$place" && "$place/bin/python" -m pip install --quiet \
			--disable-pip-version-check --constraint constraints.txt --editable '.[speed,dev]' &&
			touch "$place/.installed" || { failed="$failed $version"; continue; }
	fi
	for loop in asyncio uvloop; do
		tests=$SOCKET_TESTS
		[ "$loop" = uvloop ] || tests="$SHELL_TESTS $SOCKET_TESTS"
		echo "$("$place/bin/python" --version), $loop"
		# shellcheck disable=SC2086  (the lists are words)
		STREAMGUARD_TEST_LOOP=$loop "$place/bin/python" -m pytest -p no:cacheprovider $tests ||
			failed="$failed $version/$loop"
	done
	[ -z "${QUICK:-}" ] || break
done
if [ -n "$failed" ]; then
	echo "failed on:$failed"
	exit 1
fi
