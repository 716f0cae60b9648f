// Who may be answered: whoever shows a token of the file, or one whose user may read the logs in question as Kubernetes says.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/bearer.hpp"
#include "api/routes/routes.hpp"
#include "kube/kube_access.hpp"

namespace flowtap::api {

/// Without either nobody is let in.
struct Admission {
  BearerTokens* tokens = nullptr;
  KubeAccess* kube = nullptr;
};

/// The answer to whoever has none.
[[nodiscard]] Answer no_token();

/// Nothing: the request may be answered. Else with what it is refused: 401 where there is no valid token, 403 where its user may
/// not, 503 where Kubernetes cannot be asked. `authorization` is that header's value.
boost::asio::awaitable<std::optional<Answer>> refusal_of(const Admission& admission,
                                                         std::string authorization, std::string target);

}  // namespace flowtap::api
