#!/bin/sh
# Builds one subject: libkernel.so from kernel/windowed.c (or from the file named), and the driver beside it.
set -eu
here=$(dirname "$0")
out=${ASSAY_BUILD:?set ASSAY_BUILD to the output folder; \`assay run\` does}
cc=${CC:-cc}
"$cc" -std=gnu11 -D_GNU_SOURCE -O3 -Wall -fPIC -shared -Ikernel "${1:-kernel/windowed.c}" -o "$out/libkernel.so" -lm -lpthread -ldl
# All functions are bound before the kernel is loaded, in a table that is then read-only.
"$cc" -std=gnu11 -O0 -Wall -Wextra -I"$here" -I"$here/../../harness" "$here/driver.c" -o "$out/driver" \
  -Wl,-z,relro,-z,now -ldl -lm
