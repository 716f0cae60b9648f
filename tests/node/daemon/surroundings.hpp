// Surroundings in which flowtapd cannot have all it needs. Each is for DaemonOptions::before_exec: it changes the child alone,
// and ends it if that cannot be done.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

namespace flowtap::test {

/// It still has uid 0, but none of these capabilities (CAP_BPF...), and no way to get them back.
[[nodiscard]] std::function<void()> without_capabilities(std::initializer_list<int> capabilities);

/// It still has uid 0, but of all capabilities only these.
[[nodiscard]] std::function<void()> only_capabilities(std::initializer_list<int> capabilities);

/// An empty directory lies over each path, in a mount namespace of the child's own. What does not exist stays so.
[[nodiscard]] std::function<void()> hiding(std::initializer_list<const char*> paths);

/// A network of its own, which has only the loopback interface, with the kernel's defaults (ports below 1024 need a capability).
[[nodiscard]] std::function<void()> in_own_network();

/// A system call (__NR_...) fails with this errno: always, or if its first argument is this one.
[[nodiscard]] std::function<void()> refusing_call(unsigned call, int error,
                                                  std::optional<unsigned> first = {});

/// bpf(2) fails with this errno: always, or for one command of it (BPF_PROG_LOAD...).
[[nodiscard]] std::function<void()> refusing_bpf(int error, std::optional<unsigned> command = {});

}  // namespace flowtap::test
