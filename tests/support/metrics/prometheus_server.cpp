#include "tests/support/metrics/prometheus_server.hpp"

#include <boost/json.hpp>
#include <stdexcept>

#include "tests/support/metrics/promtext.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

std::string program(const char* name) {
  return paths::programs() + "/prometheus/bin/" + name;
}

Command server_command(const ScratchRoot& root, std::uint16_t port, std::uint16_t target) {
  const std::string config = root.write("prometheus.yml",
                                        "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                                        "scrape_configs:\n"
                                        "  - job_name: flowtap\n"
                                        "    static_configs: [{targets: ['127.0.0.1:" +
                                            std::to_string(target) + "']}]\n");
  return {
      .argv = {program("prometheus"), "--config.file=" + config, "--storage.tsdb.path=" + root.file("tsdb"),
               "--web.listen-address=127.0.0.1:" + std::to_string(port), "--log.level=warn"},
      .env = {"GOMAXPROCS=1"},
      .out = root.file("prometheus.out"),
      .err = root.file("prometheus.err")};
}

StoredSeries stored_series(const json::object& result) {
  StoredSeries series;
  std::string name;
  Labels labels;
  for (const auto& [key, value] : result.at("metric").as_object()) {
    if (key == "__name__")
      name = value.as_string();
    else if (key != "job" && key != "instance")
      labels.emplace(std::string(key), std::string(value.as_string()));
  }
  series.key = series_key(name, labels);
  for (const auto& pair : result.at("values").as_array()) {
    series.times.push_back(pair.at(0).to_number<double>());
    series.values.push_back(std::stod(std::string(pair.at(1).as_string())));
  }
  return series;
}

}  // namespace

PrometheusServer::PrometheusServer(const ScratchRoot& root, std::uint16_t target)
    : port_(free_port()), process_(server_command(root, port_, target)) {
  const bool ready =
      eventually([this] { return get_tcp(port_, "/-/ready").status == 200 || !process_.running(); });
  if (!ready || !process_.running())
    throw std::runtime_error("Prometheus did not start (tools/fetch-program unpacks it):\n" +
                             root.read("prometheus.err"));
}

std::vector<StoredSeries> PrometheusServer::stored(const std::string& selector) const {
  const HttpAnswer answer = get_tcp(port_, "/api/v1/query?query=" + selector + "%5B10m%5D");
  if (answer.status != 200) throw std::runtime_error("Prometheus answers " + answer.body);
  std::vector<StoredSeries> all;
  const auto page = json::parse(answer.body);
  for (const auto& result : page.at("data").at("result").as_array())
    all.push_back(stored_series(result.as_object()));
  return all;
}

Verdict check_metrics(const ScratchRoot& root, const std::string& page) {
  Process promtool({.argv = {program("promtool"), "check", "metrics"},
                    .in = root.write("page", page),
                    .out = root.file("promtool.said"),
                    .err = root.file("promtool.said")});
  const auto status = promtool.wait();
  return {status.value_or(-1), root.read("promtool.said")};
}

}  // namespace flowtap::test
