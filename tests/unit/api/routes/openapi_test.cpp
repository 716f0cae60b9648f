// The description of the API agrees with the answers to requests.
#include "api/routes/openapi.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/routes/route_table.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

class OpenApi : public testing::Test {
 protected:
  OpenApi() {
    node_.captured = &flows_;
    node_.totals = full_snapshot();
    flows_.add("x");
    flows_.add(1, Outputs::kBoth);
    flows_.add(1, Outputs::kStdout);
    flows_.add(1, Outputs::kStderr);
    document_ = json::parse(route({"GET", kOpenApiPath}, node_).body).as_object();
  }

  [[nodiscard]] const json::object& paths() const { return document_.at("paths").as_object(); }
  static const json::object& get(const json::value& path) { return path.at("get").as_object(); }
  [[nodiscard]] unsigned status(const std::string& target) const {
    return route({"GET", target}, node_).status;
  }

  /// A path with some text in place of each {name}.
  static std::string filled(std::string path) {
    for (auto brace = path.find('{'); brace != std::string::npos; brace = path.find('{')) {
      const auto end = path.find('}');
      const bool pid = path.substr(brace, end - brace + 1) == "{pid}";
      path.replace(brace, end - brace + 1, pid ? "1" : "x");
    }
    return path;
  }

  /// The values that its schema allows.
  static std::vector<std::string> values(const json::object& schema) {
    std::vector<std::string> all;
    if (const auto* words = schema.if_contains("enum"))
      for (const auto& word : words->as_array()) all.emplace_back(word.as_string());
    else if (schema.at("type").as_string() == "integer")
      all = {"1", "20"};
    else if (schema.at("type").as_string() == "boolean")
      all = {"true", "false"};
    else if (schema.contains("format"))
      all = {"2026-01-02T03:04:05Z"};
    else
      all = {"x"};
    return all;
  }

  ScriptedFlows flows_;
  ScriptedNode node_;
  json::object document_;
};

TEST_F(OpenApi, HasWhatADocumentMustHave) {
  EXPECT_TRUE(document_.at("openapi").as_string().starts_with("3.1."));
  EXPECT_FALSE(document_.at("info").at("title").as_string().empty());
  EXPECT_FALSE(document_.at("info").at("version").as_string().empty());
  const auto& token = document_.at("components").at("securitySchemes").at("token");
  EXPECT_EQ(token.at("type").as_string(), "http");
  EXPECT_EQ(token.at("scheme").as_string(), "bearer");
  EXPECT_TRUE(document_.at("security").as_array().at(0).as_object().contains("token"));
}

TEST_F(OpenApi, HasEachRouteAndNoOther) {
  EXPECT_EQ(paths().size(), routes().size());
  for (const Route& one : routes()) {
    ASSERT_TRUE(paths().contains(one.path)) << one.path;
    const auto& operation = get(paths().at(one.path));
    EXPECT_TRUE(operation.at("summary").as_string().ends_with('.')) << one.path;
    EXPECT_TRUE(operation.at("responses").at("200").as_object().contains("description")) << one.path;
    std::size_t queries = 0;
    for (const auto& parameter : operation.at("parameters").as_array()) {
      const auto& p = parameter.as_object();
      EXPECT_TRUE(p.at("description").as_string().ends_with('.')) << one.path << " " << p.at("name");
      const bool in_path = one.path.contains("{" + std::string(p.at("name").as_string()) + "}");
      EXPECT_EQ(p.at("in").as_string(), in_path ? "path" : "query") << one.path;
      EXPECT_EQ(p.contains("required"), in_path) << one.path;
      queries += in_path ? 0 : 1;
    }
    EXPECT_EQ(queries, one.parameters.size()) << one.path;
    EXPECT_EQ(operation.at("parameters").as_array().size() - queries,
              static_cast<std::size_t>(std::ranges::count(one.path, '{')))
        << one.path;
  }
}

// Each path and each parameter, with each value in its schema.
TEST_F(OpenApi, IsWhatRequestsAreAnsweredBy) {
  for (const auto& path : paths()) {
    const std::string target = filled(path.key());
    const auto& operation = get(path.value());
    const auto told = [&](unsigned status) {
      return operation.at("responses").as_object().contains(std::to_string(status));
    };
    const Answer answer = route({"GET", target}, node_);
    EXPECT_FALSE(answer.body.contains("there is no \"/")) << target;
    EXPECT_TRUE(told(answer.status)) << target << " " << answer.status;
    EXPECT_NE(answer.status, 400U) << target;
    for (const auto& parameter : operation.at("parameters").as_array()) {
      if (parameter.at("in").as_string() != "query") continue;
      const auto& p = parameter.as_object();
      const std::string asked = target + "?" + std::string(p.at("name").as_string());
      for (const std::string& value : values(p.at("schema").as_object())) {
        EXPECT_TRUE(told(status(asked + "=" + value))) << asked << "=" << value;
        EXPECT_NE(status(asked + "=" + value), 400U) << asked << "=" << value;
      }
      EXPECT_EQ(status(asked) == 400, !p.contains("allowEmptyValue")) << asked;
      const bool closed = p.at("schema").as_object().size() > 1;
      EXPECT_EQ(status(asked + "=%20") == 400, closed) << asked;
    }
    EXPECT_EQ(status(target + "?no-such-parameter=1"), 400U) << target;
    EXPECT_TRUE(told(400) && told(401) && told(405) && told(429)) << target;
  }
}

TEST_F(OpenApi, RefersToWhatIsThere) {
  const auto& components = document_.at("components");
  std::size_t references = 0;
  for (const auto& path : paths())
    for (const auto& response : get(path.value()).at("responses").as_object()) {
      const auto* reference = response.value().as_object().if_contains("$ref");
      if (reference == nullptr) continue;
      ++references;
      EXPECT_EQ(reference->as_string(), "#/components/responses/" + std::string(response.key()));
      EXPECT_TRUE(components.at("responses").as_object().contains(response.key())) << response.key();
    }
  EXPECT_GT(references, 0U);
  EXPECT_TRUE(components.at("schemas").as_object().contains("Error"));
}

}  // namespace
}  // namespace flowtap::api
