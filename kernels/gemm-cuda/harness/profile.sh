#!/bin/sh
# One launch of a variant under Nsight Compute, as a CSV page that `assay import` and `assay inspect` read:
#   sh harness/profile.sh OUT.csv [M N K]
# In the work tree of a variant (`assay edit NAME` prints where). Latency is never taken from this.
set -eu
out=${1:?usage: profile.sh OUT.csv [M N K]}
m=${2:-4096} n=${3:-4096} k=${4:-4096}
here=$(dirname "$0")
ASSAY_BUILD=$(mktemp -d)
export ASSAY_BUILD
trap 'rm -rf "$ASSAY_BUILD"' EXIT
sh "$here/build.sh" 2>/dev/null
ASSAY_SUBJECTS="[{\"id\":\"A\",\"role\":\"variant\",\"folder\":\"$ASSAY_BUILD\",\"artefact\":\"$ASSAY_BUILD/libkernel.so\",\"source\":\".\"}]"
ASSAY_PLAN="{\"assay\":1,\"stage\":\"profile\",\"workloads\":[{\"name\":\"w\",\"dims\":{\"M\":$m,\"N\":$n,\"K\":$k}}],\"seed\":1}"
export ASSAY_SUBJECTS ASSAY_PLAN
# Only the kernel under test; the clocks are left as they are.
ncu --csv --page raw --set full --clock-control none --kernel-name regex:gemm "$ASSAY_BUILD/driver" profile >"$out"
