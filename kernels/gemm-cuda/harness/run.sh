#!/bin/sh
# Runs one stage: run.sh check|bench|profile. This shell becomes the driver, so that signals and timeouts reach it.
set -eu
here=${0%/*}
[ -x "$ASSAY_BUILD/driver" ] || sh "$here/build.sh" --driver
export CUDA_DEVICE_ORDER=PCI_BUS_ID # as the management tools count
exec "$ASSAY_BUILD/driver" "$1"
