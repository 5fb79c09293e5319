# Answers of the stand-in harness; see harness.sh.

# All matches of a pattern in a text, as out[1..n].
function all(text, pattern, out,    n) {
    n = 0
    while (match(text, pattern)) {
        out[++n] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    return n
}

# The text of `"name":"text"`.
function text_of(pair) {
    sub(/^"[a-z]*":"/, "", pair)
    sub(/"$/, "", pair)
    return pair
}

# The number behind `"name":`.
function number_of(json, name) {
    if (!match(json, "\"" name "\":[0-9]+")) return 0
    return substr(json, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}

# Noise in -1..1 that depends on the seed alone.
function noise() {
    state = (state * 16807) % 2147483647
    return state / 1073741823.5 - 1
}

function read_kernel(slot, file,    line, part) {
    while ((getline line < file) > 0)
        if (split(line, part, " = ") == 2) kernel[slot, part[1]] = part[2]
    close(file)
}

function answer(fields,    key) {
    key = (bad == "nonce") ? "00" : ENVIRON["ASSAY_NONCE"]
    printf "{\"assay\":1,\"nonce\":\"%s\",%s}\n", key, fields
}

function values(slot, workload,    ns) {
    if (bad == "nan") return "NaN"
    if (bad == "negative") return "-5"
    if (bad == "zero") return "0"
    if (bad == "huge") return "1e300"
    ns = (kernel[slot, "cost"] + kernel[slot, "load"] + kernel[slot, "more-on-" workload]) * 1000
    # What a partner in the same process costs, in percent.
    if (subjects > 1) ns *= 1 + kernel[slot, "disturb"] / 100
    # Beside anything but the baseline, slot 2 may look better than it is, by so many percent.
    if (slot == 2 && kernel[1, "cost"] < 200) ns *= 1 - kernel[2, "boast"] / 100
    return sprintf("%.3f", ns * drift[slot] * (1 + 0.0001 * noise()))
}

function leg(workload, slot, process, block, position,    out) {
    out = sprintf("\"kind\":\"samples\",\"workload\":\"%s\",\"subject\":\"%s\",\"process\":%d", workload, id[slot], process)
    out = out sprintf(",\"block\":%d,\"leg\":%d,\"unit\":\"ns\",\"values\":[%s]", block, position, values(slot, workload))
    if (kernel[slot, "clock"]) out = out ",\"clock_mhz\":" (kernel[slot, "clock"] + 100 * position)
    answer(out ",\"launches\":10,\"timer\":\"stand-in\",\"tick\":1,\"cache\":\"hot\"")
}

# The state of a device, hot in the last block of the last workload.
function heat(workload, process, block,    out) {
    out = sprintf("\"kind\":\"conditions\",\"workload\":\"%s\",\"process\":%d,\"block\":%d", workload, process, block)
    answer(out ",\"sm_mhz\":1980,\"celsius\":90,\"source\":\"stand-in\",\"reasons\":[" (block == 1 && workload == "large" ? "\"hardware-thermal\"" : "") "]")
}

function bench(plan,    n, w, b, p, order, blocks, process) {
    if (!match(plan, /"order":\[[^\]]*\]/)) exit 4
    blocks = all(substr(plan, RSTART + 9, RLENGTH - 10), "[AB]+", order)
    process = number_of(plan, "process")
    # A kernel that ends whatever process it is in, and one that does so only beside another.
    for (n = 1; n <= subjects; n++) if (kernel[n, "crash"] == "always") exit 139
    if (subjects > 1 && kernel[2, "crash"] == "beside") exit 139
    # What a whole process is faster or slower by, in percent of the kernel file's choice.
    drift[1] = 1
    drift[2] = 1 + (kernel[2, "drift"] * noise() + kernel[2, "bias"]) / 100
    for (w = 1; w <= workloads; w++)
        for (b = 1; b <= blocks; b++) {
            for (p = 1; p <= length(order[b]); p++) {
                if (bad == "silent") continue
                n = (substr(order[b], p, 1) == "A") ? 1 : 2
                leg(workload[w], n, process, b - 1, p - 1)
                if (bad == "twice" && b == 1 && p == 1) leg(workload[w], n, process, b - 1, p - 1)
            }
            if (kernel[2, "hot"] == process) heat(workload[w], process, b - 1)
        }
    if (subjects > 1 && kernel[1, "accused"]) accuse(kernel[1, "accused"])
    if (bad != "cut") answer("\"kind\":\"done\",\"process\":" process)
}

# The first subject is accused, of wrong results or of remembered ones, and the process ends over it.
function accuse(what) {
    if (what == "wrong")
        answer("\"kind\":\"check\",\"workload\":\"small\",\"subject\":\"" id[1] "\",\"max_abs_error\":2,\"max_rel_error\":0,\"ok\":false,\"detail\":\"it is off\"")
    else
        answer("\"kind\":\"suspect\",\"workload\":\"small\",\"subject\":\"" id[1] "\",\"detail\":\"it remembers\"")
    exit (what == "wrong" ? 3 : 4)
}

function check(    w, wrong) {
    answer("\"kind\":\"resource\",\"name\":\"size\",\"value\":" (kernel[1, "size"] + 0) ",\"unit\":\"bytes\"")
    for (w = 1; w <= workloads; w++) {
        if (bad == "partial" && w == workloads) continue
        wrong = kernel[1, "error"] + 0
        answer("\"kind\":\"check\",\"workload\":\"" (bad == "unknown" ? "nobody-asked" : workload[w]) "\",\"subject\":\"" id[1] "\",\"max_abs_error\":" wrong ",\"max_rel_error\":0,\"ok\":" (wrong < 1 ? "true" : "false") ",\"detail\":\"largest error " wrong "\"")
    }
    if (bad != "cut") answer("\"kind\":\"done\",\"process\":1")
}

BEGIN {
    plan = ENVIRON["ASSAY_PLAN"]
    seed = number_of(plan, "seed")
    state = substr(seed, length(seed) > 8 ? length(seed) - 7 : 1) % 2147483646 + 1
    noise(); noise()
    workloads = all(plan, "\"name\":\"[^\"]*\"", workload)
    for (w = 1; w <= workloads; w++) workload[w] = text_of(workload[w])
    subjects = all(ENVIRON["ASSAY_SUBJECTS"], "\"id\":\"[^\"]*\"", id)
    all(ENVIRON["ASSAY_SUBJECTS"], "\"artefact\":\"[^\"]*\"", artefact)
    for (s = 1; s <= subjects; s++) {
        id[s] = text_of(id[s])
        read_kernel(s, text_of(artefact[s]))
    }
    if (bad == "garbage") { print "Segmentation fault (not really) {"; exit 0 }
    if (bad == "stranger") { workload[1] = "nobody-asked" }
    if (stage == "check") check(); else bench(plan)
}
