// A server that answers Kubernetes' two reviews over TLS, as its API server does.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/net/tls_pair.hpp"

namespace flowtap::kube {

/// One connection at a time, each request answered by what is in the maps then.
class KubeStandIn {
 public:
  struct Rules {
    std::map<std::string, std::string> users;           ///< by token
    std::set<std::pair<std::string, std::string>> may;  ///< user, namespace; "": all; or nodes/proxy
    unsigned status = 201;
    std::string body;  ///< said to everything, if not empty
  };

  KubeStandIn(const std::string& dir, const std::string& account) : ca_(dir + "/ca.crt"), account_(account) {
    test::write_tls_pair(ca_, dir + "/ca.key", "127.0.0.1");
    context_.use_certificate_chain_file(ca_);
    context_.use_private_key_file(dir + "/ca.key", boost::asio::ssl::context::pem);
    thread_ = std::thread([this] { run(); });
  }
  KubeStandIn(const KubeStandIn&) = delete;
  KubeStandIn& operator=(const KubeStandIn&) = delete;
  ~KubeStandIn() {
    stop_ = true;
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket wake(io);
    boost::system::error_code gone;
    (void)wake.connect(acceptor_.local_endpoint(), gone);
    thread_.join();
  }

  [[nodiscard]] std::string url() const {
    return "https://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  [[nodiscard]] const std::string& ca() const { return ca_; }
  void set(Rules rules) {
    const std::scoped_lock lock(mutex_);
    rules_ = std::move(rules);
  }
  /// Of requests so far: path, and body.
  [[nodiscard]] std::vector<std::pair<std::string, boost::json::object>> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

 private:
  using Stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

  void run() {
    while (!stop_) {
      Stream stream(io_, context_);
      boost::system::error_code error;
      if (acceptor_.accept(stream.next_layer(), error) || stop_) continue;
      if (stream.handshake(boost::asio::ssl::stream_base::server, error)) continue;
      answer(stream);
    }
  }
  // And closes: who asks again connects again.
  void answer(Stream& stream) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    boost::system::error_code error;
    if (http::read(stream, buffer, request, error); error) return;
    http::response<http::string_body> response(http::status::created, 11);
    response.keep_alive(false);
    answer(request, response);
    response.prepare_payload();
    (void)http::write(stream, response, error);
    (void)stream.shutdown(error);
  }
  template <typename Request, typename Response>
  void answer(const Request& request, Response& response) {
    namespace json = boost::json;
    const std::scoped_lock lock(mutex_);
    boost::system::error_code error;
    const json::value body = json::parse(request.body(), error);
    const std::string path(request.target());
    if (error || !body.is_object() || request["Authorization"] != "Bearer " + account_) {
      response.result(401);
      return;
    }
    asked_.emplace_back(path, body.as_object());
    response.result(rules_.status);
    if (!rules_.body.empty()) {
      response.body() = rules_.body;
      return;
    }
    const auto& spec = body.at("spec").as_object();
    json::object status;
    if (path.ends_with("/tokenreviews")) {
      const auto user = rules_.users.find(std::string(spec.at("token").as_string()));
      status["authenticated"] = user != rules_.users.end();
      if (user != rules_.users.end())
        status["user"] = {{"username", user->second},
                          {"uid", "uid-" + user->second},
                          {"groups", {"system:authenticated"}},
                          {"extra", {{"example.org/scope", {"a", "b"}}}}};
    } else {
      const auto& attributes = spec.at("resourceAttributes").as_object();
      const auto* ns = attributes.if_contains("namespace");
      const bool of_node = attributes.at("resource") == "nodes";
      const std::string user(spec.at("user").as_string());
      status["allowed"] = rules_.may.contains({user, of_node         ? "nodes/proxy"
                                                     : ns != nullptr ? std::string(ns->as_string())
                                                                     : ""});
    }
    response.body() = json::serialize(json::object{{"apiVersion", body.at("apiVersion")},
                                                   {"kind", body.at("kind")},
                                                   {"spec", spec},
                                                   {"status", status}});
  }

  std::string ca_;
  std::string account_;
  mutable std::mutex mutex_;
  Rules rules_;
  std::vector<std::pair<std::string, boost::json::object>> asked_;
  std::atomic<bool> stop_{false};
  boost::asio::io_context io_;
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
  std::thread thread_;
};

}  // namespace flowtap::kube
