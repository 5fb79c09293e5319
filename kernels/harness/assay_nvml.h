/*
 * assay_nvml.h: state of an NVIDIA device through libnvidia-ml.so.1, which comes with the driver. Loaded at run time: no
 * header and no library is needed to build. Part of assay_cuda.h; include assay_bench.h before it.
 *
 * What the library does not tell is absent from the answers, and why is noted once. It does not use the device.
 */
#ifndef ASSAY_NVML_H
#define ASSAY_NVML_H

typedef struct {
  void *device; /* NULL where nothing is known */
  int (*clock)(void *device, int which, unsigned *mhz);
  int (*power)(void *device, unsigned *milliwatts);
  int (*power_cap)(void *device, unsigned *milliwatts);
  int (*temperature)(void *device, int sensor, unsigned *celsius);
  int (*reasons)(void *device, unsigned long long *mask);
  char problem[256];
} assay_nvml;

/* Finds a device by its address on the bus, e.g. 0000:3b:00.0; tools count devices differently. */
static inline assay_nvml assay_nvml_open(const char *bus) {
  assay_nvml n;
  int (*init)(void), (*by_bus)(const char *, void **);
  int code = -1;
  void *library;
  memset(&n, 0, sizeof n);
  library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    snprintf(n.problem, sizeof n.problem, "clocks and power of the device are not known: %.180s", why ? why : "no library");
    return n;
  }
  *(void **)&init = dlsym(library, "nvmlInit_v2");
  *(void **)&by_bus = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **)&n.clock = dlsym(library, "nvmlDeviceGetClockInfo");
  *(void **)&n.power = dlsym(library, "nvmlDeviceGetPowerUsage");
  *(void **)&n.power_cap = dlsym(library, "nvmlDeviceGetEnforcedPowerLimit");
  *(void **)&n.temperature = dlsym(library, "nvmlDeviceGetTemperature");
  *(void **)&n.reasons = dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!n.reasons) *(void **)&n.reasons = dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons"); /* before 535 */
  if (init && by_bus && (code = init()) == 0 && (code = by_bus(bus, &n.device)) == 0) return n;
  n.device = NULL;
  snprintf(n.problem, sizeof n.problem, "clocks and power of the device are not known: libnvidia-ml.so.1 says error %d", code);
  return n;
}

/* The SM clock at this moment in MHz, or 0. Right after a leg it is that of the leg: clocks fall in milliseconds. */
static inline double assay_nvml_clock_mhz(const assay_nvml *n, int which) {
  unsigned mhz = 0;
  return n->device && n->clock && n->clock(n->device, which, &mhz) == 0 ? (double)mhz : 0;
}

/* What holds the clock down, by the names of the protocol, as an array of JSON. */
static inline void assay_nvml_put_reasons(assay_ctx *ctx, unsigned long long mask) {
  static const char *const names[] = {"idle", "clock-setting", "power-cap", "hardware-slowdown", "sync-boost",
                                      "software-thermal", "hardware-thermal", "power-brake", "display-clock"};
  const int count = (int)(sizeof names / sizeof names[0]);
  int i, some = 0;
  assay_puts(ctx, ",\"reasons\":[");
  for (i = 0; i <= count; i++) {
    if (i < count ? !(mask >> i & 1) : !(mask >> count)) continue;
    assay_puts(ctx, some++ ? ",\"" : "\"");
    assay_puts(ctx, i < count ? names[i] : "unnamed");
    assay_puts(ctx, "\"");
  }
  assay_puts(ctx, "]");
}

/* Answers with the state of the device after a block; with nothing where nothing is known. */
static inline void assay_nvml_answer(const assay_nvml *n, assay_ctx *ctx, const assay_workload *w, int block) {
  unsigned value = 0;
  unsigned long long mask = 0;
  double mhz;
  if (!n->device) return;
  assay_begin_answer(ctx, "conditions");
  assay_put_string(ctx, "workload", w->name);
  assay_put_number(ctx, "process", (double)ctx->plan.process);
  assay_put_number(ctx, "block", block);
  assay_put_string(ctx, "source", "nvml");
  if ((mhz = assay_nvml_clock_mhz(n, 1)) > 0) assay_put_number(ctx, "sm_mhz", mhz);
  if ((mhz = assay_nvml_clock_mhz(n, 2)) > 0) assay_put_number(ctx, "mem_mhz", mhz);
  if (n->power && n->power(n->device, &value) == 0) assay_put_number(ctx, "power_w", value / 1e3);
  if (n->power_cap && n->power_cap(n->device, &value) == 0) assay_put_number(ctx, "power_cap_w", value / 1e3);
  if (n->temperature && n->temperature(n->device, 0, &value) == 0) assay_put_number(ctx, "celsius", value);
  if (n->reasons && n->reasons(n->device, &mask) == 0) assay_nvml_put_reasons(ctx, mask);
  assay_end_answer(ctx);
}

#endif /* ASSAY_NVML_H */
