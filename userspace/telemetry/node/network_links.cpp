#include "telemetry/node/network_links.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/directory.hpp"
#include "base/printable.hpp"
#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct Line {
  std::string text;  // the text of one attribute, without its line end
  int error = 0;
};

// Opened below the device's folder, and read at once: a thousand devices are looked at each second, and finding the
// folder through the link in class/net takes longer than reading.
Line read_attribute(const Fd& device, const char* name) {
  const Fd file(::openat(device.get(), name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {{}, errno};
  std::array<char, 64> bytes{};
  const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
  if (n < 0) return {{}, errno};
  std::string_view text(bytes.data(), static_cast<std::size_t>(n));
  return {std::string(next_line(text))};
}

// The device may be gone meanwhile, or be down or without a speed, or its driver may not know.
bool has_none(int error) {
  return error == ENOENT || error == ENODEV || error == EINVAL || error == EOPNOTSUPP;
}

// Absent, and counted where it exists and is no number.
std::optional<std::uint64_t> read_number(const Fd& device, const char* name, Collected& out) {
  const Line line = read_attribute(device, name);
  if (has_none(line.error) || line.text == "-1") return std::nullopt;  // SPEED_UNKNOWN
  const auto number = line.error == 0 ? whole_number(line.text) : std::nullopt;
  if (!number) ++out.unread;
  return number;
}

}  // namespace

void NetworkLinkCollector::collect(Collected& out) {
  ++round_;
  const DirectoryStream folder(::opendir(folder_.c_str()));
  if (!folder) {
    if (errno != ENOENT) ++out.unread;
    return;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one stream, one thread
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const Fd device(::openat(::dirfd(folder.get()), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (device.valid()) add(device, printable(name), out);  // a file among them is the bonding driver's
  }
  std::erase_if(links_, [this](const auto& link) { return link.second.seen != round_; });
}

void NetworkLinkCollector::add(const Fd& device, const std::string& label, Collected& out) {
  Link& link = links_[label];
  if (link.seen == round_) return;  // two names may become the same when made printable
  link.seen = round_;
  Line state = read_attribute(device, "operstate");
  if (state.error == 0)
    out.add(StatId::kNODE_NETWORK_UP, std::uint64_t{state.text == "up"}, {label});
  else if (!has_none(state.error))
    ++out.unread;
  if (const auto mtu = read_number(device, "mtu", out)) out.add(StatId::kNODE_NETWORK_MTU, *mtu, {label});
  if (link.asked == 0 || round_ - link.asked >= kSpeedRounds || link.state != state.text) {
    link.asked = round_;
    link.state = std::move(state.text);
    link.speed = read_number(device, "speed", out);
  }
  if (link.speed)  // Mbit/s
    out.add(StatId::kNODE_NETWORK_SPEED, static_cast<double>(*link.speed) * 1e6 / 8, {label});
}

}  // namespace flowtap::telemetry
