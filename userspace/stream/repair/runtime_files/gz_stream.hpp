// A gzip file as a stream of bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"

namespace flowtap::flow {

/// Reads a gzip file from its start. It needs some 60 KiB, whatever the file holds.
class GzStream {
 public:
  /// Reads what is there, up to this many bytes; 0: the end.
  using Input = std::function<Result<std::size_t>(std::span<std::byte>)>;

  /// `fd` stays the caller's and must outlive this.
  GzStream(int fd, const std::string& path);
  /// `path` is what errors call it.
  GzStream(Input input, std::string path);
  GzStream(GzStream&&) noexcept;
  GzStream& operator=(GzStream&&) noexcept;
  ~GzStream();

  /// Never expands more than `into` has room for. 0: the end. All that can be read comes before the Error, which says that the
  /// file is cut, is not gzip, or does not match its checksum. After that it returns only this Error.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into);

 private:
  struct Inflating;

  [[nodiscard]] Status fill();

  std::unique_ptr<Inflating> state_;
};

}  // namespace flowtap::flow
