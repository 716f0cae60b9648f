#include "kernel/name_map.hpp"

#include <bpf/bpf.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace flowtap::kernel {
namespace {

// A row's value: how many bytes it has, and these. Another build may keep more or fewer.
using Size = std::uint32_t;
using Row = std::array<std::byte, sizeof(Size) + flow::kMostKeptName>;

}  // namespace

NameMap::NameMap(int map) : map_(map < 0 ? -1 : ::fcntl(map, F_DUPFD_CLOEXEC, 0)) {
  bpf_map_info info{};
  __u32 size = sizeof(info);
  const bool fits = map_.valid() && bpf_map_get_info_by_fd(map_.get(), &info, &size) == 0 &&
                    info.key_size == sizeof(std::uint64_t) && info.value_size >= sizeof(Size);
  if (fits)
    value_size_ = info.value_size;
  else
    map_.reset();
}

Result<Fd> NameMap::make(std::uint32_t streams) {
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
  Fd map(
      bpf_map_create(BPF_MAP_TYPE_HASH, "ftap_names", sizeof(std::uint64_t), sizeof(Row), streams, &options));
  if (!map.valid()) return fail_errno(errno, "cannot make a map for the names of streams");
  return map;
}

flow::NameKept NameMap::keep(std::uint64_t stream, std::span<const std::byte> bytes) const {
  if (!map_.valid()) return flow::NameKept::kNoMap;
  if (bytes.size() > flow::kMostKeptName || sizeof(Size) + bytes.size() > value_size_)
    return flow::NameKept::kTooLong;
  std::vector<std::byte> row(value_size_);
  const auto size = static_cast<Size>(bytes.size());
  std::memcpy(row.data(), &size, sizeof size);
  std::ranges::copy(bytes, row.begin() + sizeof size);
  return bpf_map_update_elem(map_.get(), &stream, row.data(), BPF_ANY) == 0 ? flow::NameKept::kYes
                                                                            : flow::NameKept::kNoRoom;
}

std::vector<std::byte> NameMap::kept(std::uint64_t stream) const {
  std::vector<std::byte> row(value_size_);
  if (!map_.valid() || bpf_map_lookup_elem(map_.get(), &stream, row.data()) != 0) return {};
  Size size = 0;
  std::memcpy(&size, row.data(), sizeof size);
  if (size > row.size() - sizeof size) return {};
  return {row.begin() + sizeof size, row.begin() + static_cast<std::ptrdiff_t>(sizeof size + size)};
}

std::vector<std::uint64_t> NameMap::streams() const {
  std::vector<std::uint64_t> all;
  std::uint64_t at = 0;
  for (const std::uint64_t* before = nullptr;
       map_.valid() && bpf_map_get_next_key(map_.get(), before, &at) == 0; before = &all.back())
    all.push_back(at);
  return all;
}

void NameMap::forget(std::uint64_t stream) const {
  if (map_.valid()) static_cast<void>(bpf_map_delete_elem(map_.get(), &stream));
}

}  // namespace flowtap::kernel
