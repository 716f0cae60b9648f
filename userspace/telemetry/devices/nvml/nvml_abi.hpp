// The part of NVML's C ABI (libnvidia-ml.so.1) that we use, declared anew: constants, layouts and the functions' types,
// as https://docs.nvidia.com/deploy/nvml-api/ gives them. Names end in a version where the library has several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flowtap::telemetry::nvml {

enum Return : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kVersionMismatch = 18,  ///< library and driver have different versions
  kNoData = 21,
};

inline constexpr std::uint32_t kNone32 = 0xFFFF'FFFFU;  ///< "no instance", or a value that is not available
inline constexpr std::uint64_t kNone64 = ~std::uint64_t{0};  ///< NVML_VALUE_NOT_AVAILABLE

inline constexpr unsigned kTemperatureGpu = 0;
enum Clock : unsigned { kClockGraphics = 0, kClockSm = 1, kClockMemory = 2, kClockVideo = 3 };
enum Ecc : unsigned { kCorrected = 0, kUncorrected = 1 };       // nvmlMemoryErrorType_t
enum EccSince : unsigned { kSinceDriver = 0, kSinceMade = 1 };  // nvmlEccCounterType_t
enum PcieDirection : unsigned { kTransmit = 0, kReceive = 1 };  // nvmlPcieUtilCounter_t
inline constexpr unsigned kMigEnabled = 1;
inline constexpr unsigned long long kEventXid = 8;

enum Field : unsigned {
  kFieldMemoryTemperature = 82,
  kFieldNvlinkTransmit = 138,  ///< KiB of data; scope: the link, or all
  kFieldNvlinkReceive = 139,
  kFieldPcieTransmit = 197,  ///< bytes; may wrap
  kFieldPcieReceive = 198,
  kFieldNvlinkTransmitBytes = 202,  ///< from the fifth NVLink on; scope: all links
  kFieldNvlinkReceiveBytes = 204,
};
enum ValueType : unsigned {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
};

using Handle = struct DeviceOpaque*;   // nvmlDevice_t
using EventSet = struct EventOpaque*;  // nvmlEventSet_t

struct Utilization {
  unsigned gpu;  ///< percent
  unsigned memory;
};
static_assert(sizeof(Utilization) == 8);

struct Memory {
  unsigned long long total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
static_assert(sizeof(MemoryV2) == 40 && offsetof(MemoryV2, total) == 8 && offsetof(MemoryV2, used) == 32);
/// NVML_STRUCT_VERSION: the size, and the version in the highest byte.
inline constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | (2U << 24U);

struct PciInfo {
  std::array<char, 16> bus_id_legacy;
  unsigned domain, bus, device, device_id, subsystem_id;
  std::array<char, 32> bus_id;
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, domain) == 16 && offsetof(PciInfo, bus_id) == 36);

/// The entry of ..RunningProcesses_v2 and _v3; the oldest function writes only the first 16 bytes.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24 && offsetof(ProcessInfo, memory) == 8 &&
              offsetof(ProcessInfo, gpu_instance) == 16);

struct ProcessSample {
  unsigned pid;
  unsigned long long microseconds;        ///< when it was taken, since 1970
  unsigned sm, memory, encoder, decoder;  ///< percent
};
static_assert(sizeof(ProcessSample) == 32 && offsetof(ProcessSample, microseconds) == 8 &&
              offsetof(ProcessSample, sm) == 16);

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long microseconds;
  long long latency;
  unsigned type;
  int result;
  union {
    double d;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    long long ll;
    int i;
  } value;
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, type) == 24 &&
              offsetof(FieldValue, value) == 32);

struct EventData {
  Handle device;
  unsigned long long type;
  unsigned long long data;                  ///< the xid
  unsigned gpu_instance, compute_instance;  ///< not written by the oldest nvmlEventSetWait
};
static_assert(sizeof(EventData) == 32 && offsetof(EventData, gpu_instance) == 24);

struct Attributes {
  unsigned multiprocessors, copy_engines, decoders, encoders, jpegs, ofas, gpu_slices, compute_slices;
  unsigned long long memory_mib;
};
static_assert(sizeof(Attributes) == 40 && offsetof(Attributes, memory_mib) == 32);

using GetNumber = int(Handle, unsigned*);
using GetText = int(Handle, char*, unsigned);
using GetProcesses = int(Handle, unsigned* count, void* infos);

}  // namespace flowtap::telemetry::nvml
