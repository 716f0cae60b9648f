#include "kernel/map_layout.hpp"

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include <cerrno>
#include <memory>

namespace flowtap::kernel {
namespace {

using Btf = std::unique_ptr<btf, decltype([](btf* b) { btf__free(b); })>;

template <typename T>
std::uint64_t load(const std::byte* at) {
  return __atomic_load_n(reinterpret_cast<const T*>(at), __ATOMIC_ACQUIRE);
}

const btf_type* resolved(const btf* types, std::uint32_t id) {
  const int final = btf__resolve_type(types, id);
  return final < 0 ? nullptr : btf__type_by_id(types, static_cast<std::uint32_t>(final));
}

}  // namespace

Result<MapLayout> MapLayout::of(int map_fd) {
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_map_get_info_by_fd(map_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot ask for a map's size");
  const std::string name(static_cast<const char*>(info.name));
  const Btf types(btf__load_from_kernel_by_id(info.btf_id));
  if (!types) return fail_errno(errno, "cannot read how the map " + name + " is laid out");
  const btf_type* value = resolved(types.get(), info.btf_value_type_id);
  if (value == nullptr || !btf_is_struct(value))
    return fail("the values of the map " + name + " are not structs");

  MapLayout layout;
  constexpr std::size_t kAlign = 8;  // the kernel's alignment of array elements
  layout.stride_ = (std::size_t{info.value_size} + kAlign - 1) / kAlign * kAlign;
  layout.entries_ = info.max_entries;
  for (std::uint32_t i = 0; i < btf_vlen(value); ++i) {
    const btf_member& member = btf_members(value)[i];
    Field field{.offset = btf_member_bit_offset(value, i) / 8};
    std::uint32_t element = member.type;
    if (const btf_type* type = resolved(types.get(), member.type); type != nullptr && btf_is_array(type)) {
      element = btf_array(type)->type;
      field.count = btf_array(type)->nelems;
    }
    field.size = static_cast<std::size_t>(std::max<std::int64_t>(btf__resolve_size(types.get(), element), 0));
    // Another process has said so, so it is checked.
    if (field.offset % 8 % std::max<std::size_t>(field.size, 1) != 0 ||
        field.offset + field.size * field.count > info.value_size)
      return fail("the map " + name + " has a field outside its values");
    layout.fields_.emplace(btf__name_by_offset(types.get(), member.name_off), field);
  }
  return layout;
}

const MapLayout::Field* MapLayout::find(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &found->second;
}

std::uint64_t MapLayout::read(const std::byte* value, std::string_view name, std::size_t element) const {
  const Field* field = find(name);
  if (field == nullptr || element >= field->count) return 0;
  const std::byte* at = value + field->offset + element * field->size;
  switch (field->size) {
    case 1:
      return load<std::uint8_t>(at);
    case 2:
      return load<std::uint16_t>(at);
    case 4:
      return load<std::uint32_t>(at);
    case 8:
      return load<std::uint64_t>(at);
    default:
      return 0;
  }
}

}  // namespace flowtap::kernel
