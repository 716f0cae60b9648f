// Any bytes as a runtime's files: there is an answer or an error, and no text in an answer is longer than the bound that the
// resolver's memory counts on.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "identity/flow_id.hpp"
#include "identity/runtimes/bundle.hpp"
#include "identity/runtimes/json.hpp"
#include "stream/store/file_name.hpp"

namespace {

using namespace flowtap;

void check(const Result<identity::Bundle>& bundle) {
  if (!bundle) {
    if (bundle.error().what.empty()) std::abort();
    return;
  }
  const identity::ContainerIdentity& who = bundle->who;
  for (const std::optional<std::string>* text :
       {&who.container_name, &who.ns, &who.pod, &who.pod_uid, &who.image, &who.log_path, &bundle->sandbox_id,
        &bundle->log_directory, &bundle->cgroups_path})
    if (*text && (*text)->size() > identity::kLongestText) std::abort();
  const std::string id = identity::flow_id(who);
  if (!identity::flow_id_components(id) || flow::flow_file_name(id).size() > 204) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(identity::parse_oci_config(text, identity::BundleKind::kContainerd, "c1"));
  check(identity::parse_oci_config(text, identity::BundleKind::kStorage, "c1"));
  check(identity::parse_docker_config(text, text, "c1"));
  (void)identity::find_stored_name(text, "c1");
  return 0;
}
