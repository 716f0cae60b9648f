// Files as runtimes leave them.
#pragma once

#include <fcntl.h>
#include <zlib.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

/// Adds one more member to the gzip file.
inline void write_gz(const std::string& path, std::string_view bytes) {
  const gzFile file = ::gzopen(path.c_str(), "ab");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  ::gzclose(file);
}

inline Fd open_dir(const TmpfsDir& dir) {
  return Fd(::open((dir / "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace flowtap::flow
