#!/bin/sh
# The dense campaign of gemm-tilelang on the device of this machine. campaign.sh OUT [SECONDS]; ASSAY names the program.
out=${1:?usage: campaign.sh OUT [SECONDS]}
work=$(mktemp -d)
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv,noheader >"$work/device.txt" 2>&1
python3 -c 'import torch, tilelang; print("torch", torch.__version__, "tilelang", tilelang.__version__)' >>"$work/device.txt" 2>&1
python3 "$(dirname "$0")/campaign.py" "${ASSAY:?}" "$work" --seconds "${2:-160}" 2>&1 | tee "$work/run.txt"
tar -C "$work" -czf "$out/gemm-campaign.tar.gz" .
