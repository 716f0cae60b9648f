// What a server is asked, and what it answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowtap::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct ClientRequest {
  std::string method = "GET";
  std::string target = {};  ///< path and query; the URL's prefix comes before it
  Headers headers = {};     ///< without Host and Content-Length
  std::string body = {};
  /// It may arrive twice: a kept connection that ends before the answer leaves open whether it arrived, and then it is sent again.
  bool repeatable = false;
  /// For a successful answer's body, in pieces as they come: ClientResponse::body stays empty, and neither its size nor its time is
  /// limited, except for silence. False: no more is wanted.
  std::function<bool(std::string_view piece)> take = {};
};

/// Any status: what it means is decided by whoever asked. Redirections are not followed.
struct ClientResponse {
  unsigned status = 0;
  Headers headers = {};
  std::string body = {};

  /// The first header of that name, in letters of any size.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

}  // namespace flowtap::http
