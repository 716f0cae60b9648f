// Who may be answered: clients that show a token of the file, or one whose user may read these logs according to
// Kubernetes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/bearer.hpp"
#include "http/messages/handler.hpp"
#include "kube/kube_access.hpp"

namespace flowtap::api {

class Admission final : public http::Gate {
 public:
  /// Where `token_file` is empty, Kubernetes alone says who may ask. Where the server of `kube` is empty, Kubernetes is
  /// not asked. An Error: both are empty, the tokens cannot be read, or Kubernetes cannot be asked from here.
  [[nodiscard]] static Result<std::unique_ptr<http::Gate>> open(const std::string& token_file,
                                                                const kube::KubeOptions& kube);

  [[nodiscard]] std::optional<http::Verdict> known(std::string_view authorization,
                                                   std::string_view target) override;
  void ask(std::string_view authorization, std::string_view target, std::function<void()> done) override;
  [[nodiscard]] http::Verdict answered(std::string_view authorization, std::string_view target) override;
  /// 401, as for an unknown token.
  [[nodiscard]] http::Answer no_token() const override;
  [[nodiscard]] Status health() const override;

 private:
  Admission() = default;

  mutable std::optional<BearerTokens> tokens_;  // looks at its file when it is asked
  std::unique_ptr<kube::KubeAccess> kube_;
};

}  // namespace flowtap::api
