#!/bin/sh
# Stand-in for a build with mxcc, for tests only: the compiler is a stand-in too.
set -eu
echo "build $ASSAY_SUBJECT" >> "$HOME/ran"
mxcc -x maca -w -std=c++17 -fPIC -D__FAST_HALF_CVT__ --offload-arch=xcore1000 --shared -resource-usage \
    -Iharness/include kernel/k.cu -o "$ASSAY_BUILD/k.bin"
cp kernel/k.cu "$ASSAY_BUILD/device_kernel.cu"
