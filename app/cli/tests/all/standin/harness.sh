#!/bin/sh
# Stand-in for a harness, for tests only: nothing is executed and nothing is timed. The times it
# reports follow from the kernel file (`cost`, `load`) and from the seed of the plan; `bad = ...` in
# the kernel file makes it misbehave in one way.
echo "$1 $ASSAY_SUBJECT" >> "$HOME/ran"
bad=$(sed -n "s/^bad = $1-//p" "$ASSAY_BUILD/k.bin")
case $bad in
    exit2) echo 'no such kernel' >&2; exit 2 ;;
    exit3) echo 'the result is wrong' >&2; exit 3 ;;
    exit139) echo 'going down' >&2; exit 139 ;;
    log) yes 'a line of a log that never ends' | head -c 100000000 ;;
    hang) echo "$$" > "$HOME/hung"; mkfifo "$ASSAY_BUILD/never"; read -r _ < "$ASSAY_BUILD/never" ;;
    meet) printf 'the check is \033[31mheld\033[0m\n'; read -r _ < "$HOME/meet" ;;
esac
exec awk -v stage="$1" -v bad="$bad" -f harness/harness.awk > "/dev/fd/$ASSAY_FD"
