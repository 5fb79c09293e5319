#!/bin/sh
# Tests and campaigns on the device of this machine: sh experiments/h200.sh STEP[,STEP…] OUT SECONDS
#
#   tests     the kernels' and the harness's tests that need a device, side by side; nothing is timed
#   gemm      gemm-tilelang through the whole loop
#   matmul    matmul-tilelang, some points of its space
#   mhc       mhc-post-tilelang, 15 workloads against both baselines
#   layers    the other layers of gemm-tilelang: build, source, check
#   cuda      gemm-cuda through the whole loop, and what readings of the device's state cost
#   heavy     gemm-cuda in long legs, at the power limit
#   sampling  A against A with and without readings of the device's state
#
# ASSAY names the program. Steps go one after another in the order in which they are given, each with the time that those
# before it left, or with as many seconds as `STEP:SECONDS` says; all ends by itself within SECONDS, with OUT/STEP.tar.gz of
# each. RESUME names a folder with such archives of an earlier session, from which campaigns go on. TESTS names some of the
# runs of device_tests.py, else all are done. Tests are run while the builds of the campaigns are made, before anything is
# timed. Needs python3 (3.12) with torch and TileLang, nvcc, git and a device; ncu and cuobjdump where counters and machine
# code are wanted.
set -u
steps=${1:?usage: h200.sh STEP[,STEP…] OUT SECONDS} out=${2:?OUT} seconds=${3:?SECONDS}
here=$(cd "$(dirname "$0")" && pwd)
: "${ASSAY:?names the program}"
began=$(date +%s)
mkdir -p "$out"
left() { echo $((seconds - ($(date +%s) - began))); }
has() { case ",$steps" in *,"$1",* | *,"$1" | *,"$1":*) return 0 ;; *) return 1 ;; esac; }
most() { # STEP[:SECONDS]
  now=$(left)
  case $1 in *:*) [ "${1#*:}" -lt "$now" ] && now=${1#*:} ;; esac
  echo "$now"
}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

{
  nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader
  nvcc --version | tail -n 2
  python3 -c 'import sys, torch; print("python", sys.version.split()[0], "torch", torch.__version__)'
  python3 -c 'import tilelang; print("tilelang", tilelang.__version__)'
  ncu --version | tail -n 1
} >"$out/device.txt" 2>&1
cat "$out/device.txt"

campaign() { # STEP SECONDS [--prepare]
  case $1 in
    gemm) python3 "$here/h200-gemm-tilelang/campaign.py" "$ASSAY" "$out" "$2" ${3:-} ;;
    layers) python3 "$here/h200-gemm-tilelang/campaign.py" "$ASSAY" "$out" "$2" --layers ;;
    matmul | mhc) python3 "$here/h200-tilelang/campaign.py" "$ASSAY" "$out" "$2" "$1" ${3:-} ;;
    cuda) [ -n "${3:-}" ] || python3 "$here/h200-conditions/campaign.py" "$ASSAY" "$out" "$2" ;;
    heavy) [ -n "${3:-}" ] || python3 "$here/h200-conditions/campaign.py" "$ASSAY" "$out" "$2" --heavy ;;
    sampling) [ -n "${3:-}" ] || python3 "$here/h200-conditions/sampling.py" "$ASSAY" "$out" "$2" ;;
    *) echo "h200.sh: no step $1" >&2 ;;
  esac
}

# What is not timed, at once.
jobs=
if has tests; then
  # shellcheck disable=SC2086 # names of runs, or none for all
  python3 "$here/device_tests.py" "$out" "$(left)" ${TESTS:-} &
  jobs="$jobs $!"
fi
if has layers; then
  campaign layers "$(left)" &
  jobs="$jobs $!"
fi
for step in $(echo "$steps" | tr , ' '); do
  case ${step%:*} in gemm | matmul | mhc)
    campaign "${step%:*}" "$(left)" --prepare &
    jobs="$jobs $!"
    ;;
  esac
done
[ -z "$jobs" ] || wait $jobs
echo "h200.sh: all that is not timed is done, $(left) s are left"

for step in $(echo "$steps" | tr , ' '); do
  case ${step%:*} in tests | layers) continue ;; esac
  [ "$(left)" -gt 20 ] || { echo "h200.sh: no time for $step"; continue; }
  campaign "${step%:*}" "$(most "$step")"
done
echo "h200.sh: done, $(left) s are left"
ls -l "$out"
