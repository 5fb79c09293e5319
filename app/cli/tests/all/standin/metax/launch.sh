#!/bin/sh
# Stand-in for a program that runs the kernel once on a workload, for tests only. Where the runtime
# would write counters for the profiler, it says what it launched: kernel, workgroups,
# cycles of a group, matrix instructions of a wave.
echo "profile $ASSAY_SUBJECT" >> "$HOME/ran"
cost=$(sed -n 's/^cost = //p' "$ASSAY_BUILD/k.bin")
if grep -q '^bad = profile-exit$' "$ASSAY_BUILD/k.bin"; then
    echo 'no such kernel' >&2
    exit 2
fi
{
    echo "distribution_elementwise_kernel 64 900 0"
    for launch in 1 2 3; do echo "gemm_kernel 256 $((4 * cost + launch)) 1024"; done
} >> "$MCTX_TARGET_PROFILE_PATH/launches"
