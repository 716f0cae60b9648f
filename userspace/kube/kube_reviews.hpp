// Kubernetes' two reviews as JSON: which user a token belongs to (TokenReview, authentication.k8s.io/v1), and whether a
// user may do something (SubjectAccessReview, authorization.k8s.io/v1). The answers are checked like all input from
// outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace flowtap::kube {

inline constexpr std::string_view kTokenReviewPath = "/apis/authentication.k8s.io/v1/tokenreviews";
inline constexpr std::string_view kAccessReviewPath = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// The user of a token, as Kubernetes names it and expects it in the second review.
struct Subject {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

[[nodiscard]] std::string token_review(std::string_view token);
/// Nothing: the token is unknown or has expired. An Error: this is not an answer to a TokenReview.
[[nodiscard]] Result<std::optional<Subject>> parse_token_review(std::string_view body);

/// What a user needs the right to.
struct Right {
  enum class To {
    kKnown,  ///< nothing: it is enough that the user is known
    kLogs,   ///< `get pods/log` in `ns`; empty: in all namespaces
    kNode,   ///< `get nodes/proxy`, as for what kubelet tells of the host itself
  };
  To to = To::kLogs;
  std::string ns = {};
  bool operator==(const Right&) const = default;
};

/// Asks whether `subject` has that right; not for kKnown.
[[nodiscard]] std::string access_review(const Subject& subject, const Right& right);
/// An Error: this is not an answer to a SubjectAccessReview.
[[nodiscard]] Result<bool> parse_access_review(std::string_view body);

}  // namespace flowtap::kube
