// Any bytes as names in kubelet's log directories: what is read from one can be written again, and is the same. The input is a
// name, a newline, and the target of a link.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "identity/runtimes/pod_logs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flowtap::identity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = text.find('\n');
  const std::string_view name = text.substr(0, end);
  const std::string_view target = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);

  if (const auto pod = parse_pod_log_directory(name);
      pod && pod->ns + "_" + pod->pod + "_" + pod->uid != name)
    std::abort();
  if (const auto n = restart_of_log_file(name); n && !name.ends_with(std::to_string(*n) + ".log"))
    std::abort();
  const auto link = parse_container_link(name, target);
  if (!link) return 0;
  if (link->pod.pod + "_" + link->pod.ns + "_" + link->container + "-" + link->id + ".log" != name)
    std::abort();
  if (!target.ends_with(link->pod.ns + "_" + link->pod.pod + "_" + link->pod.uid + "/" + link->container +
                        "/" + std::to_string(link->restart) + ".log"))
    std::abort();
  return 0;
}
