# Stands in for a benchmark: holds for a while, then answers made-up times that alternate from
# process to process, so that no verdict is reached before the last one.
start=$(date +%s%N)
exec 3>"/dev/fd/$ASSAY_FD"
value() { printf '%s' "$ASSAY_PLAN" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }
id() { printf '%s' "$ASSAY_SUBJECTS" | sed "s/.*\"id\":\"\($1-[^\"]*\)\".*/\1/"; }
process=$(value process) a=$(id A) b=$(id B)
orders=$(printf '%s' "$ASSAY_PLAN" | sed 's/.*"order":\[\([^]]*\)\].*/\1/; s/[",]/ /g')
sleep @HOLD@
block=0
for order in $orders; do
  leg=0
  for slot in $(printf '%s' "$order" | sed 's/./& /g'); do
    case $slot in
      A) subject=$a time=1000000 ;;
      B) subject=$b time=$((980000 + 40000 * (process % 2))) ;;
    esac
    time=$((time + 100 * block + 10 * leg))
    printf '{"assay":1,"nonce":"%s","kind":"samples","workload":"square-256","subject":"%s","process":%s,"block":%s,"leg":%s,"unit":"ns","values":[%s],"launches":20,"timer":"clock_monotonic","tick":1,"cache":"hot"}\n' \
      "$ASSAY_NONCE" "$subject" "$process" "$block" "$leg" "$time" >&3
    leg=$((leg + 1))
  done
  block=$((block + 1))
done
printf '{"assay":1,"nonce":"%s","kind":"done","process":%s}\n' "$ASSAY_NONCE" "$process" >&3
printf '%s %s\n' "$start" "$(date +%s%N)" >> "@TIMES@"
