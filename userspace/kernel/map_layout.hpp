// How the values of a map are laid out, as the build that made the map says. This is how maps of another build are
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::kernel {

class MapLayout {
 public:
  /// Reads the BTF that the kernel keeps with the map. Fails if there is none, or if it may not be read, which takes
  /// CAP_SYS_ADMIN.
  [[nodiscard]] static Result<MapLayout> of(int map_fd);

  struct Field {
    std::size_t offset = 0;  ///< bytes
    std::size_t size = 0;    ///< of one element
    std::size_t count = 1;   ///< number of elements: more than one for an array
  };
  /// nullptr: there is no such field.
  [[nodiscard]] const Field* find(std::string_view name) const;

  /// A number of 1, 2, 4 or 8 bytes from a value that others change meanwhile; 0 where the field does not exist.
  [[nodiscard]] std::uint64_t read(const std::byte* value, std::string_view name,
                                   std::size_t element = 0) const;

  [[nodiscard]] std::size_t stride() const {
    return stride_;
  }  ///< bytes from one value to the next, in a mapped array
  [[nodiscard]] std::uint32_t entries() const { return entries_; }  ///< values

 private:
  std::map<std::string, Field, std::less<>> fields_;
  std::size_t stride_ = 0;
  std::uint32_t entries_ = 0;
};

}  // namespace flowtap::kernel
