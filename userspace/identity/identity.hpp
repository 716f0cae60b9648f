// Whose output a stream is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::identity {

/// What started the process. kSystemd is a unit without container, kNone a plain process.
enum class Runtime : std::uint8_t { kContainerd, kCrio, kDocker, kPodman, kSystemd, kNone };

/// The name as users write it; empty for kNone.
[[nodiscard]] constexpr std::string_view runtime_name(Runtime runtime) {
  switch (runtime) {
    case Runtime::kContainerd:
      return "containerd";
    case Runtime::kCrio:
      return "cri-o";
    case Runtime::kDocker:
      return "docker";
    case Runtime::kPodman:
      return "podman";
    case Runtime::kSystemd:
      return "systemd";
    case Runtime::kNone:
      break;
  }
  return {};
}

/// How the runtime's own log file is written; kNone where there is no file that we could read.
enum class LogFormat : std::uint8_t {
  kCri,         ///< "<time> <stream> <P|F> <text>", as containerd and CRI-O write it
  kDockerJson,  ///< {"log":"...","stream":"...","time":"..."}
  kK8sFile,     ///< podman's k8s-file: the lines of kCri, written by conmon
  kNone,
};

/// One container. What nobody could tell is absent, never empty and never 0.
struct ContainerIdentity {
  std::optional<Runtime> runtime;
  std::string container_id;                   ///< whole
  std::optional<std::string> container_name;  ///< in its pod, or as Docker and podman call it
  std::optional<std::string> ns;
  std::optional<std::string> pod;
  std::optional<std::string> pod_uid;   ///< kubelet's; for a static pod the 32-hex hash of its manifest
  std::optional<unsigned> restart;      ///< the N of N.log; only pods have one
  std::optional<std::string> image;     ///< as the pod or user asked for it
  bool sandbox = false;                 ///< the pod's pause container
  bool tty = false;                     ///< its stdout is a terminal, so there is no pipe to follow
  std::optional<std::string> log_path;  ///< the runtime's own file, a path of the node
  LogFormat format = LogFormat::kNone;

  bool operator==(const ContainerIdentity&) const = default;
};

}  // namespace flowtap::identity
