#!/bin/sh
# Stand-in for a build, for tests only: the "artefact" is the kernel file itself.
set -eu
echo "build $ASSAY_SUBJECT" >> "$HOME/ran"
if [ "${1:-}" = ref ]; then
    printf 'cost = 200\nload = 50\nsize = 10\nerror = 0\n' > "$ASSAY_BUILD/k.bin"
    exit 0
fi
if [ "${1:-}" = skewed ]; then
    printf 'cost = 200\nload = 50\nsize = 10\nerror = 0\nbias = 5\n' > "$ASSAY_BUILD/k.bin"
    exit 0
fi
if grep -q '^bad = compile$' kernel/k.txt; then
    echo 'k.txt:1: this does not compile' >&2
    exit 1
fi
grep -q '^bad = no-artefact$' kernel/k.txt || cp kernel/k.txt "$ASSAY_BUILD/k.bin"
