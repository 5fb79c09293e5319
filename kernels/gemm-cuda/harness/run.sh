#!/bin/sh
# Runs one stage: run.sh check|bench|profile. This shell becomes the driver, so that signals and timeouts reach it.
set -eu
here=${0%/*}
# A code of the compiler is none of this stage; that there is no compiler is told in all of them by the same.
[ -x "$ASSAY_BUILD/driver" ] || sh "$here/build.sh" --driver || { [ $? -ge 126 ] && exit 127; exit 1; }
export CUDA_DEVICE_ORDER=PCI_BUS_ID # as the management tools count
exec "$ASSAY_BUILD/driver" "$1"
