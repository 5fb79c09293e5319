#!/bin/sh
# Exit 0 when a program can be linked with OpenBLAS here.
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2046
echo 'void cblas_sgemm(void); int main(void) { cblas_sgemm(); return 0; }' |
  "${CC:-cc}" -x c - -o "$out/probe" $(pkg-config --libs openblas 2>/dev/null || echo -lopenblas) >/dev/null 2>&1
