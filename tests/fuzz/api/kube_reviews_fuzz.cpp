// Any bytes as what Kubernetes' API server says to a review: somebody has a name, and the question for them is valid JSON.
#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/kube_reviews.hpp"

using namespace flowtap::kube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  (void)parse_access_review(body);
  const auto subject = parse_token_review(body);
  if (!subject || !*subject) return 0;
  if ((*subject)->user.empty()) std::abort();
  boost::json::error_code error;
  const std::string asked = access_review(**subject, {.ns = std::string(body)});
  (void)boost::json::parse(asked, error);
  if (error) std::abort();
  return 0;
}
