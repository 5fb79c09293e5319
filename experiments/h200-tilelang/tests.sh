#!/bin/sh
# The tests of mhc-post-tilelang and matmul-tilelang on the device of this machine, side by side, with what they print:
#   sh experiments/h200-tilelang/tests.sh OUT
# In the root of the repository; python3 has torch and TileLang, nvcc is in PATH. Nothing here is timed.
out=${1:?usage: tests.sh OUT}
mkdir -p "$out"
one() {
  name=$1
  shift
  python3 -m unittest discover -v "$@" >"$out/$name.txt" 2>&1
  echo "$name: exit $?, $(tail -n 1 "$out/$name.txt")"
}
one mhc-operator -s kernels/mhc-post-tilelang/tests -k Operator &
one mhc-evaluator -s kernels/mhc-post-tilelang/tests -k Evaluator &
one mhc-rest -s kernels/mhc-post-tilelang/tests -k Files -k Dispatch -k Oracle -k Contract -k Golden &
one matmul -s kernels/matmul-tilelang/tests &
one harness -s kernels/harness/tests -p "test_torch.py" &
wait
