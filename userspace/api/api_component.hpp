// The components "api" and "api_tcp": the API on its Unix socket and, if configured, over TCP.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/api_options.hpp"
#include "api/server.hpp"
#include "component/component.hpp"
#include "component/trouble_log.hpp"

namespace flowtap {

class ApiComponent final : public Component {
 public:
  ApiComponent(Shared& shared, const ApiOptions& options) : shared_(shared), options_(options) {}

  [[nodiscard]] std::string_view name() const override { return kName; }
  void run() override;
  void look_around() override { keep_socket(); }
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  [[nodiscard]] bool shows() const override { return server_.has_value(); }
  void stop() override { server_.reset(); }

 private:
  void take_options() override;

  static constexpr const char* kName = "api";
  static constexpr const char* kTcpName = "api_tcp";

  /// Absent: the API is not configured over TCP.
  [[nodiscard]] std::optional<http::TcpOptions> tcp_options() const;
  /// Makes the socket again if somebody has removed it.
  void keep_socket();
  void tell();

  Shared& shared_;
  const ApiOptions& options_;
  ApiOptions applied_;  // under which it was started last
  std::shared_ptr<api::ApiCounts> counts_ = std::make_shared<api::ApiCounts>();
  std::optional<api::ApiServer> server_;
  Status found_;          // whether clients find the socket
  TroubleLog crowd_log_;  // of clients that cannot be let in
  TroubleLog tcp_log_;
};

}  // namespace flowtap
