// Kubernetes' two reviews as JSON: whose a token is (TokenReview, authentication.k8s.io/v1), and whether somebody may do
// something (SubjectAccessReview, authorization.k8s.io/v1). What comes back is checked like anything from outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace flowtap::api {

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
/// Nobody's: the token is none, or has expired. An Error: that is no TokenReview's answer, or the authenticator could not tell.
[[nodiscard]] Result<std::optional<Subject>> parse_token_review(std::string_view body);

/// Whether `subject` may `get pods/log` in that namespace; empty: in all.
[[nodiscard]] std::string log_access_review(const Subject& subject, std::string_view ns);
/// An Error: that is no SubjectAccessReview's answer.
[[nodiscard]] Result<bool> parse_access_review(std::string_view body);

}  // namespace flowtap::api
