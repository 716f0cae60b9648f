// Any bytes as the query of a request for a log: there is an answer, a refusal has Kubernetes' words, and what is accepted is
// within its bounds. As a path, the answer is a refusal or a body.
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/routes/log_routes.hpp"
#include "api/routes/route_table.hpp"
#include "api/routes/routes.hpp"
#include "base/printable.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace flowtap;
using flowtap::fuzz::require;

const std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'800'000'000)};

/// Lines that never end, or no lines.
class Reader final : public api::BodyReader {
 public:
  [[nodiscard]] Result<Piece> read(std::size_t limit) override {
    return Piece{.bytes = std::string(limit, 'x')};
  }
  void when_more(std::function<void()>) override {}
};

api::FlowStatus flow(const char* container, std::uint64_t restart) {
  api::FlowStatus flow;
  flow.id = std::string("pod/ns/p/u/") + container + "/" + std::to_string(restart);
  flow.kind = "pod";
  flow.ns = "ns";
  flow.pod = "p";
  flow.uid = "u";
  flow.container = container;
  flow.restart = restart;
  return flow;
}

class Flows final : public api::FlowsView {
 public:
  [[nodiscard]] std::vector<api::FlowStatus> flows(const api::FlowFilter&) const override { return all_; }
  [[nodiscard]] Result<std::unique_ptr<api::FlowListReader>> list_reader(const api::FlowFilter&) override {
    return std::unexpected(Error{"nobody may", "", EMFILE});
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> read(const std::string&,
                                                              const api::ReadOptions&) override {
    return std::make_unique<Reader>();
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> log(const std::string&,
                                                             const api::LogReadOptions& options) override {
    check(options);
    return std::make_unique<Reader>();
  }
  [[nodiscard]] Result<std::unique_ptr<api::BodyReader>> tap(std::uint32_t,
                                                             const api::ReadOptions&) override {
    return std::make_unique<Reader>();
  }
  static void check(const api::LogReadOptions& options) {
    require(!options.limit_bytes || (*options.limit_bytes >= 1 && *options.limit_bytes <= INT64_MAX));
    require(!options.tail_lines ||
            (*options.tail_lines <= INT64_MAX && options.outputs == api::Outputs::kBoth));
  }

 private:
  std::vector<api::FlowStatus> all_ = {flow("a", 0), flow("a", 1), flow("b", 0)};
};

class Node final : public api::NodeView {
 public:
  [[nodiscard]] api::StatusReport status() const override { return {}; }
  [[nodiscard]] stats::SnapshotPtr snapshot() const override { return nullptr; }
  [[nodiscard]] Status ready() const override { return {}; }
  [[nodiscard]] Result<api::FlowsView*> flows() const override { return &flows_; }

 private:
  mutable Flows flows_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Node node;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto parameters = api::Parameters::parse(text, api::flags_of(api::pod_log_parameters()))) {
    if (const auto options = api::parse_log_options(*parameters, kNow))
      Flows::check(*options);
    else
      require(!options.error().what.empty());
  }
  for (const std::string& target :
       {"/api/v1/namespaces/ns/pods/p/log?" + std::string(text), "/api/v1/flows/f/log?" + std::string(text),
        "/api/v1/flows?" + std::string(text)}) {
    const api::Answer answer = api::route({"GET", target, true}, node);
    const std::set<unsigned> known = {200, 400, 404, 429};
    require(known.contains(answer.status));
    if (answer.status == 200) continue;
    require(!answer.stream && answer.body.starts_with(R"({"error":")") &&
            printable(answer.body) == answer.body);
  }
  return 0;
}
