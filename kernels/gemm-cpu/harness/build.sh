#!/bin/sh
# Builds one subject: libkernel.so from kernel/gemm.c (or from a baseline), and the driver beside it.
#   build.sh                 the variant
#   build.sh naive-o3        a baseline of this name
#   build.sh openblas
#   build.sh --source        the assembly of the variant, as kernel.s
# CC chooses the compiler. ASSAY_FLAGS, which holds `[build] flags` of variant.toml, is added,
# within limits: see README.md.
set -eu

here=$(dirname "$0")
out=${ASSAY_BUILD:?set ASSAY_BUILD to the output folder; \`assay run\` does}
cc=${CC:-cc}

fail() { echo "build.sh: $*" >&2; exit 1; }
accepts() { echo 'int x;' | "$cc" "$@" -x c -c -o /dev/null - 2>/dev/null; }

# Both are asked for by name, so that a compiler without them still builds.
native=
if accepts -march=native; then native=-march=native; elif accepts -mcpu=native; then native=-mcpu=native; fi
# No AVX-512: the same code must run under the counter tools, and valgrind does not know it.
if accepts $native -mno-avx512f; then native="$native -mno-avx512f"; fi
contract=
if accepts -ffp-contract=fast; then contract=-ffp-contract=fast; fi

# The driver belongs to the evaluator: fixed flags, none of the variant's.
driver() {
  # The header lies beside this file in a campaign of its own, and one folder up in the Assay repository.
  "$cc" -std=c11 -O2 -ftree-vectorize -Wall -Wextra -I"$here" -I"$here/../../harness" "$here/driver.c" -o "$out/driver.$$" -ldl -lm
  mv "$out/driver.$$" "$out/driver"
}

variant_flags() {
  flags="-O2 ${ASSAY_FLAGS:-}"
  set -f
  for flag in $flags; do
    case $flag in
      # These change rounding or the floating-point state of the whole process, the other subject included.
      -Ofast|-ffast-math|-funsafe-math-optimizations|-fassociative-math)
        fail "variant.toml, flags: $flag changes the arithmetic of the contract; remove it" ;;
      -O[0-3s]|-f[a-z]*|-m[a-z]*|-D[A-Z]*|--param=*) ;;
      *) fail "variant.toml, flags: flag $flag is not allowed; use -O, -f, -m, -D or --param=" ;;
    esac
  done
  echo "$flags"
}

case ${1:-} in
  '')
    flags=$(variant_flags)
    # shellcheck disable=SC2086  # flags are words, checked above
    "$cc" -std=gnu11 $native $contract $flags -Wall -fPIC -shared kernel/gemm.c -o "$out/libkernel.so" -lm
    driver ;;
  --source)
    flags=$(variant_flags)
    # shellcheck disable=SC2086
    "$cc" -std=gnu11 $native $contract $flags -fPIC -S -fno-asynchronous-unwind-tables kernel/gemm.c -o "$out/kernel.s" ;;
  naive-o3)
    # shellcheck disable=SC2086
    "$cc" -std=gnu11 $native $contract -O3 -Wall -fPIC -shared "$here/baselines/naive.c" -o "$out/libkernel.so"
    driver ;;
  openblas)
    # shellcheck disable=SC2046
    "$cc" -std=gnu11 -O2 -Wall -fPIC -shared "$here/baselines/openblas.c" -o "$out/libkernel.so" \
      $(pkg-config --libs openblas 2>/dev/null || echo -lopenblas)
    driver ;;
  --driver) driver ;;
  *) fail "unknown baseline $1; known: naive-o3, openblas" ;;
esac
