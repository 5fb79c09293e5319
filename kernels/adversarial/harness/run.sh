#!/bin/sh
# Runs one stage: run.sh check|bench. This shell becomes the driver, so that signals reach the measured process.
exec "$ASSAY_BUILD/driver" "$1"
