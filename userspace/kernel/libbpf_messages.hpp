// What libbpf and the verifier say, kept for the error that a person reads.
#pragma once

#include <string>

namespace flowtap::kernel {

/// Why something could not be loaded or attached.
struct Refusal {
  std::string reason;   ///< the verifier's verdict, otherwise libbpf's first complaint
  std::string program;  ///< the one that the verifier refused; empty when it was not the verifier
};

/// While it lives, libbpf's messages of this thread are collected, separately from those of other threads. Once the
/// first one was made, libbpf writes nothing to stderr any more. It must not be nested.
class LibbpfMessages {
 public:
  LibbpfMessages();
  ~LibbpfMessages();
  LibbpfMessages(const LibbpfMessages&) = delete;
  LibbpfMessages& operator=(const LibbpfMessages&) = delete;

  /// All messages, at most the last 64 KiB.
  [[nodiscard]] static const std::string& text();

  [[nodiscard]] static Refusal refusal();
  [[nodiscard]] static std::string reason() { return refusal().reason; }
};

}  // namespace flowtap::kernel
