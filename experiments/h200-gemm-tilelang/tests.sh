#!/bin/sh
# Tests of gemm-tilelang on a device, and the checks of all layers through `assay`, side by side; nothing is timed.
# tests.sh OUT; ASSAY names the program. Needs torch, TileLang, nvcc, git and a device.
out=${1:?usage: tests.sh OUT}
here=$(cd "$(dirname "$0")" && pwd)
tests=$here/../../kernels/gemm-tilelang/tests
work=$(mktemp -d)
mkdir -p "$out"
one() { (cd "$tests" && python3 -m unittest "test_device.$1" >"$work/$1.txt" 2>&1; echo "exit $?" >>"$work/$1.txt"); }
export GEMM_TILELANG_LOG="$work/kernels.jsonl"
one Kernels &
kernels=$!
one Evaluator &
evaluator=$!
[ -z "${ASSAY:-}" ] || python3 "$here/campaign.py" "$ASSAY" "$work/layers" --layers >"$work/layers.txt" 2>&1
wait $kernels $evaluator
tail -n 30 "$work/Kernels.txt" "$work/Evaluator.txt"
cat "$work/layers.txt" 2>/dev/null
tar -C "$work" -czf "$out/gemm-tests.tar.gz" .
