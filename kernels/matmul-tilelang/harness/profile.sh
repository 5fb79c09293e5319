#!/bin/sh
# One launch of a variant under Nsight Compute, as a CSV page that `assay import` and `assay inspect` read:
#   sh harness/profile.sh OUT.csv [WORKLOAD]
# In the work tree of a variant (`assay edit NAME` prints where). Latency is never taken from this.
set -eu
out=${1:?usage: profile.sh OUT.csv [WORKLOAD]}
workload=${2:-K4096}
here=$(dirname "$0")
ASSAY_BUILD=$(mktemp -d)
export ASSAY_BUILD
trap 'rm -rf "$ASSAY_BUILD"' EXIT
python3 "$here/build.py" >/dev/null
ASSAY_SUBJECTS="[{\"id\":\"A\",\"folder\":\"$ASSAY_BUILD\",\"artefact\":\"$ASSAY_BUILD/kernels.so\"}]"
ASSAY_PLAN=$(cd "$here" && python3 -c '
import campaign, json, sys
dims = dict(zip("MNKS", campaign.workloads()[sys.argv[1]]))
print(json.dumps({"assay": 1, "stage": "profile", "seed": 1, "workloads": [{"name": sys.argv[1], "dims": dims}]}))' "$workload")
export ASSAY_SUBJECTS ASSAY_PLAN
# Only the kernel under test, whose name is that of the workload; the clocks are left as they are.
ncu --csv --page raw --set full --clock-control none --kernel-name "regex:$(echo "$workload" | tr - _)_kernel" \
  python3 "$here/evaluate.py" >"$out"
