// Kubernetes' two reviews as JSON: whose a token is (TokenReview, authentication.k8s.io/v1), and whether somebody may do
// something (SubjectAccessReview, authorization.k8s.io/v1). What comes back is checked like anything from outside.
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

/// Whose a token is, as Kubernetes tells it and wants it back.
struct Subject {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

[[nodiscard]] std::string token_review(std::string_view token);
/// Nobody's: the token is none, or has expired. An Error: that is no TokenReview's answer.
[[nodiscard]] Result<std::optional<Subject>> parse_token_review(std::string_view body);

/// What somebody has to have the right to.
struct Right {
  enum class To {
    kKnown,  ///< nothing: to be somebody is enough
    kLogs,   ///< `get pods/log` in `ns`; empty: in all namespaces
    kNode,   ///< `get nodes/proxy`, as for what kubelet tells of the host itself
  };
  To to = To::kLogs;
  std::string ns = {};
  bool operator==(const Right&) const = default;
};

/// Whether `subject` has that right; not of kKnown.
[[nodiscard]] std::string access_review(const Subject& subject, const Right& right);
/// An Error: that is no SubjectAccessReview's answer.
[[nodiscard]] Result<bool> parse_access_review(std::string_view body);

}  // namespace flowtap::kube
