// Any bytes as a process's stat and cgroup, and as the node's table of controllers: there is an answer or an error. As the name
// of a process, the bytes come back whole.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "identity/proc_identity.hpp"
#include "identity/usage_hierarchy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flowtap::identity;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)parse_proc_stat(text);
  for (const auto& path : {parse_proc_cgroup(text), parse_proc_cgroup_of("cpuacct", text)})
    if (path && (!path->starts_with('/') || path->contains('\n') || *path == "/")) std::abort();
  if (parse_proc_cgroups(text, "cpuacct") == 0U) std::abort();

  const auto stat = parse_proc_stat("7 (" + text + ") S 1 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9\n");
  if (!stat || stat->comm != text || stat->state != 'S' || stat->parent != 1 || stat->start != 4242)
    std::abort();
  return 0;
}
