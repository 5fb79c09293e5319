#!/bin/sh
# Builds one subject: libkernel.so from kernel/gemm.cu (or from a baseline), and the driver beside it.
#   build.sh                 the variant
#   build.sh naive|cublas    a baseline of this name
#   build.sh --source        the machine code of the variant's device code, as kernel.sass
# NVCC chooses the compiler, CUDA_ARCH the target (e.g. sm_90; else that of the first device, else sm_80). ASSAY_FLAGS,
# which holds `[build] flags` of variant.toml, is added, within limits: see README.md.
set -eu

here=$(dirname "$0")
out=${ASSAY_BUILD:?set ASSAY_BUILD to the output folder; \`assay run\` does}

fail() { echo "build.sh: $*" >&2; exit 1; }
# As the shell says it: a tool that is missing is no failure of the variant.
missing() { echo "build.sh: $*" >&2; exit 127; }

nvcc=${NVCC:-}
if [ -z "$nvcc" ]; then
  for one in nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    if command -v "$one" >/dev/null 2>&1; then nvcc=$one; break; fi
  done
fi
[ -n "$nvcc" ] || missing "there is no nvcc in PATH or in CUDA_HOME; NVCC names it"

arch() {
  if [ -n "${CUDA_ARCH:-}" ]; then echo "$CUDA_ARCH"; return; fi
  cap=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i "${CUDA_VISIBLE_DEVICES:-0}" 2>/dev/null | head -n 1 | tr -d '. ') || cap=
  case $cap in [0-9]*) echo "sm_$cap" ;; *) echo sm_80 ;; esac
}

common="-std=c++17 -O3"

# The driver belongs to the evaluator: fixed flags, none of the variant's.
driver() {
  # The headers lie beside this file in a campaign of its own, and one folder up in the Assay repository.
  "$nvcc" -std=c++17 -O2 -arch="$(arch)" -diag-suppress 550,177 -I"$here" -I"$here/../../harness" "$here/driver.cu" \
    -o "$out/driver.$$" -ldl -lm
  mv "$out/driver.$$" "$out/driver"
}

variant_flags() {
  set -f
  for flag in ${ASSAY_FLAGS:-}; do
    case $flag in
      *fast*math*|--fmad*|-fmad*|-ftz*|--ftz*|-prec-*|--prec-*|-use_fast_math)
        fail "variant.toml, flags: $flag changes the arithmetic of the contract; remove it" ;;
      -O[0-3]|-D[A-Z]*|--maxrregcount=[0-9]*|-maxrregcount=[0-9]*|-Xptxas=*|--extra-device-vectorization) ;;
      *) fail "variant.toml, flags: flag $flag is not allowed; use -O, -D, --maxrregcount= or -Xptxas=" ;;
    esac
  done
  echo "${ASSAY_FLAGS:-}"
}

# What ptxas prints of registers, shared memory and spills stays beside the artefact: the check answers with it.
library() {
  source=$1
  shift
  # shellcheck disable=SC2086  # flags are words
  "$nvcc" $common -arch="$(arch)" -Xptxas -v -Xcompiler -fPIC -Xlinker --exclude-libs=ALL \
    -Xlinker -Bsymbolic -shared "$@" "$source" -o "$out/libkernel.so" 2>"$out/ptxas.txt" || {
    code=$?
    cat "$out/ptxas.txt" >&2
    exit $code
  }
  cat "$out/ptxas.txt" >&2
}

case ${1:-} in
  '')
    flags=$(variant_flags)
    # shellcheck disable=SC2086
    library kernel/gemm.cu $flags
    driver ;;
  --source)
    tool=$(dirname "$nvcc")/cuobjdump
    command -v "$tool" >/dev/null 2>&1 || tool=cuobjdump
    command -v "$tool" >/dev/null 2>&1 ||
      missing "there is no cuobjdump beside nvcc or in PATH; NVIDIA has it in a package of its own, cuda-cuobjdump"
    "$tool" --dump-sass "$out/libkernel.so" >"$out/kernel.sass" ;;
  naive)
    library "$here/baselines/naive.cu"
    driver ;;
  cublas)
    library "$here/baselines/cublas.cu" -lcublas
    driver ;;
  --driver) driver ;;
  *) fail "unknown baseline $1; known: naive, cublas" ;;
esac
