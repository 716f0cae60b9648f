// A hostile client's paths and parameters get a clear status, and none of their text is sent back where it could do
// harm.
#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/http/tcp_fixture.hpp"

namespace flowtap::api {
namespace {

/// Knows no pod.
class NoDiagnoses : public DiagnosesView {
 public:
  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string&, const std::string&,
                                                        bool) override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<DiagnosedPod> pods(const std::string&) const override { return {}; }
  [[nodiscard]] std::optional<DiagnosisEntry> entry(const DiagnosedPod&, bool) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::size_t logs() const override { return 1; }
};

class HostileTest : public TcpTest {
 protected:
  HostileTest() {
    flows_.add("f");
    node_.captured = &flows_;
    node_.explained = &diagnoses_;
    start_tcp();
  }
  ~HostileTest() override { server_.reset(); }

  /// The status of the answer, after checking it: a head without any text of the request, and a JSON object.
  [[nodiscard]] std::string status(const std::string& target) const {
    const std::string answer = ask(request(target, "Bearer " + kToken));
    const std::size_t end = answer.find("\r\n\r\n");
    EXPECT_NE(end, std::string::npos) << target;
    if (end == std::string::npos) return "";
    EXPECT_FALSE(answer.substr(0, end).contains("X-Evil")) << answer;
    const std::string body = answer.substr(end + 4);
    EXPECT_TRUE(answer.contains("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n")) << answer;
    for (const char c : body) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << body;
    boost::json::error_code error;
    const auto json = boost::json::parse(body, error);  // JSON must be UTF-8
    EXPECT_TRUE(!error && json.is_object()) << body;
    const std::string code = answer.substr(9, 3);
    EXPECT_EQ(!error && json.is_object() && json.as_object().contains("error"), code != "200") << body;
    return code;
  }

  ScriptedFlows flows_;
  NoDiagnoses diagnoses_;
};

const std::vector<std::string>& tricks() {
  static const std::vector<std::string> kTricks = {"..%2f..%2f..%2fetc%2fpasswd",
                                                   "%2e%2e",
                                                   "..",
                                                   "a%00b",
                                                   "a%0d%0aX-Evil:%201",
                                                   "a%0d%0a%0d%0aHTTP/1.1%20200%20OK%0d%0aX-Evil:%201",
                                                   "%0aX-Evil:%201",
                                                   "%1b%5b2J%9b",
                                                   "%ff%fe%c0%ae",
                                                   "%22%7d%3cscript%3e",
                                                   "%25s%25n",
                                                   std::string(6000, 'a')};
  return kTricks;
}

TEST_F(HostileTest, WhatIsNoNameIsNotFound) {
  for (const std::string& trick : tricks()) {
    // With a slash it is another path, which is not found either.
    EXPECT_EQ(status("/api/v1/namespaces/" + trick + "/pods/p/log"), "404") << trick;
    EXPECT_EQ(status("/api/v1/namespaces/n/pods/" + trick + "/log"), "404") << trick;
    EXPECT_EQ(status("/api/v1/namespaces/" + trick + "/pods/p/schedulerlog"), "404") << trick;
    EXPECT_EQ(status("/api/v1/namespaces/n/pods/" + trick + "/schedulerlog"), "404") << trick;
    EXPECT_EQ(status("/api/v1/flows/" + trick + "/raw"), "404") << trick;
    EXPECT_EQ(status("/api/v1/flows/" + trick + "/log"), "404") << trick;
    EXPECT_EQ(status("/" + trick), "404") << trick;
  }
}

TEST_F(HostileTest, WhatIsNoValueIsABadRequest) {
  for (const std::string& trick : tricks()) {
    EXPECT_EQ(status("/api/v1/flows?" + trick + "=1"), "400") << trick;
    EXPECT_EQ(status("/api/v1/flows/f/raw?stream=" + trick), "400") << trick;
    EXPECT_EQ(status("/api/v1/flows/f/log?sinceTime=" + trick), "400") << trick;
    EXPECT_EQ(status("/api/v1/flows/f/log?tailLines=" + trick), "400") << trick;
    EXPECT_EQ(status("/api/v1/flows?namespace=" + trick), "200") << "no flow has this namespace";
    EXPECT_EQ(status("/api/v1/schedulerlogs?namespace=" + trick), "200") << trick;
  }
  EXPECT_EQ(status("/api/v1/namespaces/%/pods/p/log"), "400");
  EXPECT_EQ(status("/api/v1/namespaces/%zz/pods/p/log"), "400");
}

TEST_F(HostileTest, WhatIsTooLongIsTold) {
  const std::string path = "/api/v1/namespaces/" + std::string(9'000, 'a') + "/pods/p/log";
  EXPECT_EQ(ask(request(path, "Bearer " + kToken)).substr(9, 3), "401") << "the header ends before the token";
  Client known(endpoint());
  known.send("GET /healthz HTTP/1.1\r\nAuthorization: Bearer " + kToken + "\r\n\r\n");
  EXPECT_TRUE(known.read_head().starts_with("HTTP/1.1 200"));
  known.send(request(path, "Bearer " + kToken));
  EXPECT_TRUE(known.read_all().contains("HTTP/1.1 431 "));
}

}  // namespace
}  // namespace flowtap::api
