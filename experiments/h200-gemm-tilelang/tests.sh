#!/bin/sh
# Tests of gemm-tilelang on a device, and the checks of all layers through `assay`; nothing is timed. tests.sh OUT
# ASSAY names the program. Needs torch, TileLang, nvcc, git and a device.
out=${1:?usage: tests.sh OUT}
here=$(dirname "$0")
root=$here/../..
work=$(mktemp -d)
mkdir -p "$out"
GEMM_TILELANG_LOG=$work/kernels.jsonl python3 -m unittest discover -s "$root/kernels/gemm-tilelang/tests" >"$work/tests.txt" 2>&1 &
tests=$!
[ -z "${ASSAY:-}" ] || python3 "$here/campaign.py" "$ASSAY" "$work/layers" --layers >"$work/layers.txt" 2>&1
wait $tests
echo "exit $?" >>"$work/tests.txt"
tail -n 40 "$work/tests.txt"
cat "$work/layers.txt" 2>/dev/null
tar -C "$work" -czf "$out/gemm-tests.tar.gz" .
