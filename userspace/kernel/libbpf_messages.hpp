// What libbpf and the verifier say, kept for the error that a person reads.
#pragma once

#include <string>

namespace flowtap::kernel {

/// While it lives, libbpf's messages of this thread are collected instead of written to stderr. Nests not.
class LibbpfMessages {
 public:
  LibbpfMessages();
  ~LibbpfMessages();
  LibbpfMessages(const LibbpfMessages&) = delete;
  LibbpfMessages& operator=(const LibbpfMessages&) = delete;

  /// All of it, at most the last 64 KiB.
  [[nodiscard]] static const std::string& text();

  /// The line that tells the reason: the verifier's last word before its statistics, else libbpf's first
  /// complaint.
  [[nodiscard]] static std::string reason();
};

}  // namespace flowtap::kernel
