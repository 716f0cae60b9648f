/*
 * A libnvidia-ml.so.1 that plays a script. It is declared anew from NVML's documentation and not from what flowtap
 * declares, so that it shows a wrong layout there.
 *
 * The environment's FAKE_NVML names the script, which is read at each call. A line is a key and its values:
 *   gpus 2                         how many there are
 *   0.NAME values                  a value of GPU 0 (its MIG instance 1: 0m1), as the functions below name it; one that is not in
 *                                  the script is NVML_ERROR_NOT_SUPPORTED
 *   0.ret.nvmlDeviceGetPowerUsage 15   what a function returns for GPU 0; without "0." for all
 *   event.0 GPU XID                events, in order
 * With FAKE_NVML_OLD it has only a few functions of the first versions, and one list of processes of the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OK = 0,
  UNINITIALIZED = 1,
  INVALID = 2,
  NOT_SUPPORTED = 3,
  NOT_FOUND = 6,
  TOO_SMALL = 7,
  TIMEOUT = 10
};
enum { GPUS = 16, PARTS = 8, LINE = 512 };

typedef struct nvmlDevice_st {
  int gpu;
  int mig; /* -1: the GPU */
}* nvmlDevice_t;
typedef struct nvmlEventSet_st {
  unsigned registered;
}* nvmlEventSet_t;

static struct nvmlDevice_st devices[GPUS][PARTS + 1];
static int initialised;

/* The value of a key, or null. */
static const char* find(const char* key) {
  static char line[LINE];
  const char* path = getenv("FAKE_NVML");
  FILE* file = path ? fopen(path, "r") : NULL;
  const char* found = NULL;
  size_t length = strlen(key);
  if (!file) return NULL;
  while (!found && fgets(line, sizeof(line), file)) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, key, length) == 0 && line[length] == ' ') found = line + length + 1;
  }
  fclose(file);
  return found;
}

static const char* of(nvmlDevice_t device, const char* what) {
  char key[LINE];
  if (device->mig < 0)
    snprintf(key, sizeof(key), "%d.%s", device->gpu, what);
  else
    snprintf(key, sizeof(key), "%dm%d.%s", device->gpu, device->mig, what);
  return find(key);
}

static int result(nvmlDevice_t device, const char* function) {
  char key[LINE];
  const char* told;
  if (!initialised) return UNINITIALIZED;
  snprintf(key, sizeof(key), "ret.%s", function);
  told = device ? of(device, key) : NULL;
  if (!told) told = find(key);
  if (!told && device) told = of(device, "ret.all");
  return told ? atoi(told) : OK;
}

/* The i-th number of a value. */
static int number(nvmlDevice_t device, const char* what, int i, unsigned long long* out) {
  const char* at = of(device, what);
  while (at && i-- > 0) {
    at = strchr(at, ' ');
    if (at) ++at;
  }
  if (!at) return 0;
  *out = strtoull(at, NULL, 0);
  return 1;
}

static int number_u(nvmlDevice_t device, const char* what, int i, unsigned* out) {
  unsigned long long value;
  if (!number(device, what, i, &value)) return 0;
  *out = (unsigned)value;
  return 1;
}

static int text(nvmlDevice_t device, const char* what, char* out, unsigned length) {
  const char* value = of(device, what);
  if (!value) return NOT_SUPPORTED;
  if (strlen(value) + 1 > length) return TOO_SMALL;
  strcpy(out, value);
  return OK;
}

#define CHECK(device)                          \
  do {                                         \
    const int told = result(device, __func__); \
    if (told != OK) return told;               \
  } while (0)
#define NUMBER(function, what)                             \
  int function(nvmlDevice_t d, unsigned* out) {            \
    CHECK(d);                                              \
    return number_u(d, what, 0, out) ? OK : NOT_SUPPORTED; \
  }

static int init(void) {
  const char* told = find("ret.init");
  if (told) return atoi(told);
  initialised = 1;
  return OK;
}

int nvmlShutdown(void) {
  initialised = 0;
  return OK;
}

static int count(unsigned* out) {
  const char* told = find("ret.count");
  const char* gpus;
  if (!initialised) return UNINITIALIZED;
  if (told) return atoi(told);
  gpus = find("gpus");
  *out = gpus ? (unsigned)atoi(gpus) : 0;
  return OK;
}

static int handle(unsigned index, nvmlDevice_t* out) {
  unsigned most = 0;
  if (count(&most) != OK) return UNINITIALIZED;
  if (index >= most || index >= GPUS) return INVALID;
  devices[index][0].gpu = (int)index;
  devices[index][0].mig = -1;
  {
    const int told = result(&devices[index][0], "handle");
    if (told != OK) return told;
  }
  *out = &devices[index][0];
  return OK;
}

int nvmlDeviceGetName(nvmlDevice_t d, char* out, unsigned length) {
  CHECK(d);
  return text(d, "name", out, length);
}
int nvmlDeviceGetUUID(nvmlDevice_t d, char* out, unsigned length) {
  CHECK(d);
  return text(d, "uuid", out, length);
}

NUMBER(nvmlDeviceGetMinorNumber, "minor")

typedef struct {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_t;

/* 0.memory total free used reserved */
int nvmlDeviceGetMemoryInfo(nvmlDevice_t d, nvmlMemory_t* out) {
  CHECK(d);
  return number(d, "memory", 0, &out->total) && number(d, "memory", 1, &out->free) &&
                 number(d, "memory", 2, &out->used)
             ? OK
             : NOT_SUPPORTED;
}

NUMBER(nvmlDeviceGetPowerUsage, "power")

/* 0.LIST.0 pid memory [gpu_instance compute_instance] */
static int processes(nvmlDevice_t d, const char* list, unsigned* room, unsigned char* out, size_t stride) {
  unsigned there = 0;
  unsigned i;
  char key[LINE];
  for (;; ++there) {
    snprintf(key, sizeof(key), "%s.%u", list, there);
    if (!of(d, key)) break;
  }
  if (*room < there) {
    *room = there;
    return TOO_SMALL;
  }
  /* Some libraries clear all the room that they were told of. */
  if (of(d, "clears") && out) memset(out, 0, *room * stride);
  *room = there;
  for (i = 0; i < there; ++i) {
    unsigned long long memory = ~0ULL;
    unsigned pid = 0, gpu = ~0U, compute = ~0U;
    snprintf(key, sizeof(key), "%s.%u", list, i);
    number_u(d, key, 0, &pid);
    if (strcmp(of(d, key) + strcspn(of(d, key), " "), " -") != 0) number(d, key, 1, &memory);
    number_u(d, key, 2, &gpu);
    number_u(d, key, 3, &compute);
    memset(out + i * stride, 0, stride);
    memcpy(out + i * stride, &pid, 4);
    memcpy(out + i * stride + 8, &memory, 8);
    if (stride > 16) {
      memcpy(out + i * stride + 16, &gpu, 4);
      memcpy(out + i * stride + 20, &compute, 4);
    }
  }
  return OK;
}

#ifdef FAKE_NVML_OLD

int nvmlInit(void) {
  return init();
}
int nvmlDeviceGetCount(unsigned* out) {
  return count(out);
}
int nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* out) {
  return handle(index, out);
}
int nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t d, unsigned* room, void* out) {
  CHECK(d);
  return processes(d, "compute", room, out, 16);
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t d, unsigned* room, void* out) {
  CHECK(d);
  return processes(d, "graphics", room, out, 24);
}

#else

int nvmlInit_v2(void) {
  return init();
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  return count(out);
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* out) {
  return handle(index, out);
}

int nvmlSystemGetDriverVersion(char* out, unsigned length) {
  const char* version = find("driver");
  if (!version) return NOT_SUPPORTED;
  if (strlen(version) + 1 > length) return TOO_SMALL;
  strcpy(out, version);
  return OK;
}

typedef struct {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;

int nvmlDeviceGetPciInfo_v3(nvmlDevice_t d, nvmlPciInfo_t* out) {
  CHECK(d);
  memset(out, 0, sizeof(*out));
  return number_u(d, "pci", 0, &out->domain) && number_u(d, "pci", 1, &out->bus) &&
                 number_u(d, "pci", 2, &out->device)
             ? OK
             : NOT_SUPPORTED;
}

typedef struct {
  unsigned gpu;
  unsigned memory;
} nvmlUtilization_t;

int nvmlDeviceGetUtilizationRates(nvmlDevice_t d, nvmlUtilization_t* out) {
  CHECK(d);
  return number_u(d, "utilization", 0, &out->gpu) && number_u(d, "utilization", 1, &out->memory)
             ? OK
             : NOT_SUPPORTED;
}
int nvmlDeviceGetEncoderUtilization(nvmlDevice_t d, unsigned* out, unsigned* period) {
  CHECK(d);
  *period = 167000;
  return number_u(d, "encoder", 0, out) ? OK : NOT_SUPPORTED;
}
int nvmlDeviceGetDecoderUtilization(nvmlDevice_t d, unsigned* out, unsigned* period) {
  CHECK(d);
  *period = 167000;
  return number_u(d, "decoder", 0, out) ? OK : NOT_SUPPORTED;
}

typedef struct {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_v2_t;

int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t d, nvmlMemory_v2_t* out) {
  CHECK(d);
  if (out->version != (unsigned)(sizeof(nvmlMemory_v2_t) | (2 << 24U)))
    return 25; /* ARGUMENT_VERSION_MISMATCH */
  return number(d, "memory", 0, &out->total) && number(d, "memory", 1, &out->free) &&
                 number(d, "memory", 2, &out->used) && number(d, "memory", 3, &out->reserved)
             ? OK
             : NOT_SUPPORTED;
}

NUMBER(nvmlDeviceGetEnforcedPowerLimit, "limit")
NUMBER(nvmlDeviceGetPcieReplayCounter, "replays")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_generation")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_lanes")
NUMBER(nvmlDeviceGetMaxMigDeviceCount, "mig_most")
NUMBER(nvmlDeviceGetGpuInstanceId, "gi")
NUMBER(nvmlDeviceGetComputeInstanceId, "ci")

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t d, unsigned long long* out) {
  CHECK(d);
  return number(d, "energy", 0, out) ? OK : NOT_SUPPORTED;
}
int nvmlDeviceGetTemperature(nvmlDevice_t d, unsigned sensor, unsigned* out) {
  CHECK(d);
  if (sensor != 0) return INVALID;
  return number_u(d, "temperature", 0, out) ? OK : NOT_SUPPORTED;
}
/* 0.clocks graphics sm memory video */
int nvmlDeviceGetClockInfo(nvmlDevice_t d, unsigned which, unsigned* out) {
  CHECK(d);
  return number_u(d, "clocks", (int)which, out) ? OK : NOT_SUPPORTED;
}
/* 0.ecc corrected uncorrected, since the driver; 0.ecc_lifetime */
int nvmlDeviceGetTotalEccErrors(nvmlDevice_t d, unsigned type, unsigned counter, unsigned long long* out) {
  CHECK(d);
  return number(d, counter == 0 ? "ecc" : "ecc_lifetime", (int)type, out) ? OK : NOT_SUPPORTED;
}
/* 0.pcie_rate transmit receive, in KB/s */
int nvmlDeviceGetPcieThroughput(nvmlDevice_t d, unsigned counter, unsigned* out) {
  CHECK(d);
  return number_u(d, "pcie_rate", (int)counter, out) ? OK : NOT_SUPPORTED;
}

typedef struct {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;
  long long latencyUsec;
  unsigned valueType;
  int nvmlReturn;
  union {
    double dVal;
    unsigned uiVal;
    unsigned long ulVal;
    unsigned long long ullVal;
    long long sllVal;
  } value;
} nvmlFieldValue_t;

/* 0.field.82 type value, 0.field.138/4294967295 for a scope; "ret" and a number as type: what it returns */
int nvmlDeviceGetFieldValues(nvmlDevice_t d, int count_, nvmlFieldValue_t* fields) {
  int i;
  CHECK(d);
  for (i = 0; i < count_; ++i) {
    char key[LINE];
    unsigned long long type, value;
    if (fields[i].scopeId != 0)
      snprintf(key, sizeof(key), "field.%u/%u", fields[i].fieldId, fields[i].scopeId);
    else
      snprintf(key, sizeof(key), "field.%u", fields[i].fieldId);
    fields[i].nvmlReturn = NOT_SUPPORTED;
    if (of(d, key) && sscanf(of(d, key), "ret %d", &fields[i].nvmlReturn) == 1) continue;
    if (!number(d, key, 0, &type) || !number(d, key, 1, &value)) continue;
    fields[i].nvmlReturn = OK;
    fields[i].valueType = (unsigned)type;
    memset(&fields[i].value, 0xFF, sizeof(fields[i].value));
    if (type == 1)
      fields[i].value.uiVal = (unsigned)value;
    else
      fields[i].value.ullVal = value;
  }
  return OK;
}

int nvmlDeviceGetMigMode(nvmlDevice_t d, unsigned* current, unsigned* pending) {
  CHECK(d);
  *pending = 0;
  return number_u(d, "mig", 0, current) ? OK : NOT_SUPPORTED;
}
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t d, unsigned index, nvmlDevice_t* out) {
  nvmlDevice_t part = &devices[d->gpu][index + 1];
  CHECK(d);
  if (index >= PARTS) return INVALID;
  part->gpu = d->gpu;
  part->mig = (int)index;
  if (!of(part, "gi")) return NOT_FOUND;
  *out = part;
  return OK;
}

typedef struct {
  unsigned multiprocessorCount;
  unsigned sharedCopyEngineCount;
  unsigned sharedDecoderCount;
  unsigned sharedEncoderCount;
  unsigned sharedJpegCount;
  unsigned sharedOfaCount;
  unsigned gpuInstanceSliceCount;
  unsigned computeInstanceSliceCount;
  unsigned long long memorySizeMB;
} nvmlDeviceAttributes_t;

int nvmlDeviceGetAttributes_v2(nvmlDevice_t d, nvmlDeviceAttributes_t* out) {
  CHECK(d);
  memset(out, 0, sizeof(*out));
  return number_u(d, "processors", 0, &out->multiprocessorCount) ? OK : NOT_SUPPORTED;
}

/* Drivers of 535.43 wrote more than they said: "0.stride 32". */
static size_t stride(nvmlDevice_t d) {
  unsigned told = 24;
  number_u(d, "stride", 0, &told);
  return told;
}
int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned* room, void* out) {
  CHECK(d);
  return processes(d, "compute", room, out, stride(d));
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t d, unsigned* room, void* out) {
  CHECK(d);
  return processes(d, "graphics", room, out, stride(d));
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t d, unsigned* room, void* out) {
  CHECK(d);
  return processes(d, "mps", room, out, stride(d));
}

typedef struct {
  unsigned pid;
  unsigned long long timeStamp;
  unsigned smUtil;
  unsigned memUtil;
  unsigned encUtil;
  unsigned decUtil;
} nvmlProcessUtilizationSample_t;

/* 0.sample.0 pid microseconds sm memory encoder decoder */
int nvmlDeviceGetProcessUtilization(nvmlDevice_t d, nvmlProcessUtilizationSample_t* out, unsigned* room,
                                    unsigned long long since) {
  unsigned all, there = 0, written = 0;
  char key[LINE];
  CHECK(d);
  if (!of(d, "sample.0") && !of(d, "samples")) return NOT_SUPPORTED;
  for (all = 0;; ++all) {
    unsigned long long when;
    snprintf(key, sizeof(key), "sample.%u", all);
    if (!number(d, key, 1, &when)) break;
    there += when > since;
  }
  if (there == 0) return NOT_FOUND;
  if (!out || *room < there) {
    *room = there;
    return TOO_SMALL;
  }
  for (all = 0; written < there; ++all) {
    nvmlProcessUtilizationSample_t* sample = &out[written];
    snprintf(key, sizeof(key), "sample.%u", all);
    number(d, key, 1, &sample->timeStamp);
    if (sample->timeStamp <= since) continue;
    number_u(d, key, 0, &sample->pid);
    number_u(d, key, 2, &sample->smUtil);
    number_u(d, key, 3, &sample->memUtil);
    number_u(d, key, 4, &sample->encUtil);
    number_u(d, key, 5, &sample->decUtil);
    ++written;
  }
  *room = written;
  return OK;
}

typedef struct {
  nvmlDevice_t device;
  unsigned long long eventType;
  unsigned long long eventData;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
} nvmlEventData_t;

static struct nvmlEventSet_st the_set;
static unsigned next_event;

int nvmlEventSetCreate(nvmlEventSet_t* out) {
  CHECK(NULL);
  the_set.registered = 0;
  *out = &the_set;
  return OK;
}
int nvmlEventSetFree(nvmlEventSet_t set) {
  set->registered = 0;
  return OK;
}
int nvmlDeviceRegisterEvents(nvmlDevice_t d, unsigned long long types, nvmlEventSet_t set) {
  CHECK(d);
  if (types == 8) set->registered |= 1U << (unsigned)d->gpu;
  return OK;
}
int nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* out, unsigned timeout) {
  char key[LINE];
  const char* event;
  unsigned gpu, xid;
  CHECK(NULL);
  do {
    snprintf(key, sizeof(key), "event.%u", next_event);
    event = find(key);
    if (!event || timeout != 0 || sscanf(event, "%u %u", &gpu, &xid) != 2) return TIMEOUT;
    ++next_event;
  } while ((set->registered & (1U << gpu)) == 0);
  out->device = &devices[gpu][0];
  out->eventType = 8;
  out->eventData = xid;
  out->gpuInstanceId = out->computeInstanceId = ~0U;
  return OK;
}

#endif
