#!/bin/sh
# Runs one stage: run.sh check|bench|profile. This shell becomes the driver, so that signals, timeouts and counter
# tools reach the measured process directly.
set -eu
here=${0%/*} # no child process: counter tools would see it as one more program
[ -x "$ASSAY_BUILD/driver" ] || sh "$here/build.sh" --driver
# One thread is the contract; this holds for the library baseline too.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
exec "$ASSAY_BUILD/driver" "$1"
