// Names of flows.
//
//   pod/NS/POD/UID/CONTAINER/N   a container of a pod; N is its restart count, `id-ID12` while unknown;
//                                CONTAINER is `POD` for the pod's sandbox (no container can be called so)
//   container/NAME-ID12          any other container; without a name `container/ID`
//   container/NAME-ID12@N        its run N; the first one that was seen has no `@N` (base/flows/flow_run.hpp)
//   unit/NAME                    a systemd unit; of a user's manager `unit/user@UID.service/NAME`
//   proc/PID-START               a process; START is its start time in clock ticks after boot
//   file/PATH                    a file; PATH's names are components, so it reads as the path does
//   FLOW/INNER                   a container inside FLOW (Docker in a pod, a kind node, rootless podman), and its runs
//
// `/` only stands between components: in a component every byte outside [A-Za-z0-9._:@-] is written %XX, so no name,
// however chosen, can reach into the next component. The `-` before ID12 is the last one of its component, since a `-`
// in an id is written %2D. A container's component does not end in `@N` by itself, since such an `@` is written %40. Hence
// different things have different ids.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flows/short_id.hpp"
#include "identity/identity.hpp"

namespace flowtap::identity {

/// One component: every byte outside [A-Za-z0-9._:@-] as %XX. An empty text stays empty.
[[nodiscard]] std::string flow_component(std::string_view text);

/// `pod/...` where namespace, pod, uid and container are known, otherwise `container/...`.
[[nodiscard]] std::string flow_id(const ContainerIdentity& container);

[[nodiscard]] std::string unit_flow_id(std::string_view unit);

/// `start` is in clock ticks after boot, as in the 22nd field of /proc/PID/stat.
[[nodiscard]] std::string process_flow_id(pid_t pid, std::uint64_t start);

/// `path` is absolute, without "." and "..", and without empty names.
[[nodiscard]] std::string file_flow_id(std::string_view path);

/// Something that lives inside what `outer` names, and got its name there.
[[nodiscard]] std::string inner_flow_id(std::string_view outer, std::string_view inner);

/// The components of an id as they were before flow_component; absent if an escape is broken.
[[nodiscard]] std::optional<std::vector<std::string>> flow_id_components(std::string_view id);

}  // namespace flowtap::identity
