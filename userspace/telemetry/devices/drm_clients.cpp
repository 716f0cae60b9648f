#include "telemetry/devices/drm_clients.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/file.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProcesses = 65'536;
constexpr std::size_t kMostText = 64U << 10U;

bool is_gpu(const std::string& link) {
  std::array<char, 16> target{};
  constexpr std::string_view kGpus = "/dev/dri/";
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  return length > 0 && std::string_view(target.data(), static_cast<std::size_t>(length)).starts_with(kGpus);
}

// amdgpu has "enc" and "enc_1"; Intel's video engines do both kinds of work, and count as neither.
bool encodes(std::string_view engine) {
  return engine.starts_with("enc");
}
bool decodes(std::string_view engine) {
  return engine.starts_with("dec");
}

void raise(std::optional<double>& value, std::optional<double> to) {
  if (to) value = std::max(value.value_or(0), *to);
}
void add(std::optional<double>& sum, std::optional<double> more) {
  if (more) sum = std::min(1.0, sum.value_or(0) + *more);
}

// The work for one client since `before`. Engines work side by side: the device worked as long as the busiest one.
DeviceProcess work_since(const DrmClient& before, const DrmClient& now, std::uint64_t ns) {
  DeviceProcess work;
  for (const auto& [kind, engine] : now.engines) {
    const auto last = before.engines.find(kind);
    if (last == before.engines.end()) continue;
    const auto ratio = engine_ratio(last->second, engine, ns);
    raise(encodes(kind) ? work.encoder : decodes(kind) ? work.decoder : work.utilization, ratio);
  }
  return work;
}

}  // namespace

std::size_t DrmClients::look_at(const std::string& pid) {
  const auto number = whole_number(pid);
  if (!number || *number > INT32_MAX) return 0;
  const auto process = static_cast<pid_t>(*number);
  std::erase_if(found_, [&](const Descriptor& one) { return one.first == process; });
  const std::string directory = proc_ + "/" + pid + "/fd";
  std::size_t looked = 0;
  std::error_code error;
  // A process that is gone, or that we may not look into, has none.
  for (fs::directory_iterator at(directory, error), end; !error && at != end && looked < kLinksOfOne;
       at.increment(error)) {
    ++looked;
    const auto fd = whole_number(at->path().filename().string());
    if (fd && *fd <= INT32_MAX && found_.size() < kMostClients && is_gpu(at->path().string()))
      found_.emplace(process, static_cast<int>(*fd));
  }
  return looked;
}

void DrmClients::look_further(std::uint64_t& unread) {
  if (pids_.empty()) pids_ = names_in(proc_, kMostProcesses, unread);
  for (std::size_t looked = 0; looked < kLinks && !pids_.empty(); pids_.pop_back())
    looked += 1 + look_at(pids_.back());
}

void DrmClients::take(pid_t pid, DrmClient client, DeviceClock::time_point now) {
  const ClientKey key{client.device, client.id};
  const auto [known, fresh] = clients_.try_emplace(key);
  // This is a second descriptor of the same client, here or in another process.
  if (!fresh && known->second.at == now) return;
  DeviceProcess& process = processes_[{client.device, pid}];
  process.pid = pid;
  if (const auto memory = client.own_memory()) process.memory = process.memory.value_or(0) + *memory;
  if (!fresh) {
    const auto ns = std::chrono::nanoseconds(now - known->second.at).count();
    const DeviceProcess work = work_since(known->second.last, client, static_cast<std::uint64_t>(ns));
    add(process.utilization, work.utilization);
    add(process.encoder, work.encoder);
    add(process.decoder, work.decoder);
  }
  known->second = {std::move(client), now};
}

void DrmClients::read_all(DeviceClock::time_point now) {
  processes_.clear();
  std::erase_if(found_, [&](const Descriptor& one) {
    const auto [pid, fd] = one;
    // The descriptor is closed, gone, or another process's by now: it belongs to no GPU.
    const auto text =
        read_file(proc_ + "/" + std::to_string(pid) + "/fdinfo/" + std::to_string(fd), kMostText);
    auto client = text ? parse_drm_fdinfo(*text) : std::nullopt;
    if (!client) return true;
    take(pid, std::move(*client), now);
    return false;
  });
  std::erase_if(clients_, [&](const auto& entry) { return entry.second.at != now; });
}

std::vector<DeviceProcess> DrmClients::of(const std::string& device, DeviceClock::time_point now,
                                          std::uint64_t& unread) {
  if (now != round_) {
    round_ = now;
    look_further(unread);
    read_all(now);
  }
  std::vector<DeviceProcess> all;
  for (const auto& [key, process] : processes_)
    if (key.first == device) all.push_back(process);
  return all;
}

}  // namespace flowtap::telemetry
