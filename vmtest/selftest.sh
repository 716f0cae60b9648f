#!/bin/bash
# Tests the runner itself: it must report every way in which a test can end, and none may hide another. Takes about two
# minutes.
#
#   vmtest/selftest.sh [SERIES]
set -u

here=$(dirname "$(realpath "$0")")
series=${1:-6.18}
build=$(mktemp -d) # below /tmp on purpose: the guest has a tmpfs there and must see this directory all the same
trap 'rm -rf "$build"' EXIT
wrong=0

# The smallest possible BPF program, through the bare system call: it needs neither libbpf nor clang.
gcc -x c -o "$build/load" - <<'C' || exit 1
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    struct bpf_insn program[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
    union bpf_attr load = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2,
                           .insns = (unsigned long)program, .license = (unsigned long)"GPL"};
    int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
    union bpf_attr pin = {.pathname = (unsigned long)"/sys/fs/bpf/selftest", .bpf_fd = fd};
    if (fd < 0 || syscall(SYS_bpf, BPF_OBJ_PIN, &pin, sizeof pin))
        return perror("bpf"), 1;
    return 0;
}
C
echo "from the build directory" >"$build/data"
{
    # shellcheck disable=SC2016 # the guest's shell expands it
    printf 'good\ttest "$FTAP_VM" = 1 && cat %s/data && printf "no newline at the end"\n' "$build"
    printf 'seven\techo before seven; exit 7\n'
    printf 'signal\tkill -SEGV $$\n'
    printf 'panic\techo before the panic; echo c > /proc/sysrq-trigger\n'
    printf 'slow\techo before sleeping; sleep 1000\n'
    printf 'skip\techo "[  SKIPPED ] Some.Test"\n'
    printf 'empty\techo "[==========] Running 0 tests from 0 test suites."\n'
    printf 'litter\tsleep 1000 & echo $! > /run/litter; exit 0\n'
    # shellcheck disable=SC2016 # the guest's shell expands it
    printf 'cleaned\t! kill -0 "$(cat /run/litter)" 2>/dev/null\n'
    printf 'readonly\t! touch %s/x 2>/dev/null && ! touch /etc/x 2>/dev/null\n' "$build"
    printf 'bpf\ttest -s /sys/kernel/btf/vmlinux && %s/load && test -e /sys/fs/bpf/selftest\n' "$build"
    printf 'unpinned\t! test -e /sys/fs/bpf/selftest\n'
    printf 'last\ttrue\n'
} | sed 's/$/\tflat\t\t/' >"$build/vmtests.txt"
printf 'beside\techo said beside; exit 9\tsingle\t\t\nslow_beside\tsleep 1000\tsingle\t\tmore\n' >>"$build/vmtests.txt"

expect() { # WHAT PATTERN (a line of the output)
    if grep -Eq -- "$2" <<<"$output"; then echo "ok     $1"; else
        echo "WRONG  $1: no line matches $2"
        wrong=1
    fi
}

check() { # WHAT VALUE OPERATOR WANTED
    if test "$2" "$3" "$4"; then echo "ok     $1"; else
        echo "WRONG  $1: $2, not $3 $4"
        wrong=1
    fi
}

runner() { "$here/run" --kernel "$series" --build-dir "$build" --timeout 20 --jobs 1 "$@"; }

output=$(runner 2>&1)
status=$?
expect "exit 0 is a pass" '^PASS .* good  '
expect "exit status is told" '^FAIL .* seven .*exit status 7'
expect "output of a failed test is shown" '^  \| before seven$'
expect "signal is told" '^FAIL .* signal .*signal 11'
expect "panic is a failure" '^FAIL .* panic .*the guest died'
expect "panic text is shown" '^  \| .*Kernel panic - not syncing: sysrq triggered crash'
expect "output before the panic is shown" '^  \| before the panic$'
expect "time limit" '^TIMEOUT .* slow '
expect "output before the time limit is shown" '^  \| before sleeping$'
expect "skipping is a failure" '^FAIL .* skip .*skipped'
expect "running nothing is a failure" '^FAIL .* empty .*ran no test'
expect "leftovers are no failure" '^PASS .* litter '
expect "leftovers do not reach the next test" '^PASS .* cleaned '
expect "the host's files cannot be written" '^PASS .* readonly '
expect "BTF is there, a BPF program loads and is pinned" '^PASS .* bpf '
expect "pins do not reach the next test" '^PASS .* unpinned '
expect "tests after a crash run" '^PASS .* last '
expect "another machine's tests run, too" '^FAIL .* beside .*exit status 9'
expect "totals" '^7 passed, 7 failed$'
check "exit status" $status -eq 1

output=$(runner good last 2>&1)
status=$?
expect "all pass" '^2 passed, 0 failed$'
check "exit status" $status -eq 0

output=$(runner --sh 'echo hello; printf bye; exit 3' 2>/dev/null)
status=$?
check "--sh passes output on, and nothing else" "$output" = $'hello\nbye'
check "--sh exit status" $status -eq 3

# shellcheck disable=SC2016 # the guest's shell expands it
output=$(runner --topology numa-llc --sh 'cd /sys/devices/system
    echo $(ls -d node/node* | wc -l) nodes, $(sort -u cpu/cpu*/cache/index3/shared_cpu_list | wc -l) caches' 2>/dev/null)
check "NUMA nodes and cache domains" "$output" = "2 nodes, 4 caches"

output=$(runner nonsense 2>&1)
expect "unknown test" "^error: there is no VM test 'nonsense'"

output=$(runner --jobs 2 good last beside 2>&1)
expect "two at once: one passes" '^PASS .* last '
expect "two at once: the other one fails" '^FAIL .* beside .*exit status 9'
expect "two at once: output of the one that failed" '^  \| said beside$'
expect "two at once: totals" '^2 passed, 1 failed$'

# Ended in mid-boot: nothing may stay behind of the sessions that the VMs run in. Not through runner(), whose process
# would be a shell; and TERM, because a background process of a script ignores INT.
interrupted() { # JOBS TEST...
    "$here/run" --kernel "$series" --build-dir "$build" --jobs "$@" >/dev/null 2>&1 &
    runner=$!
    sessions=()
    for _ in $(seq 100); do
        mapfile -t sessions < <(pgrep -P "$runner" vng)
        [ ${#sessions[@]} -lt "$1" ] || break
        sleep 0.1
    done
    sleep 2
    before=0 after=0
    for session in "${sessions[@]}"; do before=$((before + ($(pgrep -c -s "$session" qemu) > 0))); done
    kill -TERM "$runner"
    wait "$runner"
    status=$?
    for session in "${sessions[@]}"; do after=$((after + $(pgrep -c -s "$session"))); done
    check "$1 at once ran until then (sessions ${sessions[*]})" "$before" -eq "$1"
    check "nothing is left of them" "$after" -eq 0
    check "exit status of an interrupted run" $status -eq 130
}
interrupted 1 slow
interrupted 2 slow slow_beside

[ $wrong -eq 1 ] || echo "all as expected"
exit $wrong
