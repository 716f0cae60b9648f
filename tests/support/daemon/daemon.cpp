#include "tests/support/daemon/daemon.hpp"

#include <boost/json.hpp>
#include <stdexcept>

#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

// Each daemon writes to a new file, so that its messages are not taken for those of another one.
std::string fresh_name(const char* what) {
  static int number = 0;
  return std::string(what) + "." + std::to_string(++number);
}

Command daemon_command(const ScratchRoot& root, const DaemonOptions& options, std::uint16_t port,
                       const std::string& out, const std::string& err) {
  Command command{.argv = {options.program.empty() ? paths::flowtapd() : options.program, "--host-root",
                           root.path(), "--state-dir", root.file("state")},
                  .env = options.env,
                  .out = root.file(out),
                  .err = root.file(err),
                  .before_exec = options.before_exec};
  auto& argv = command.argv;
  const std::string stream =
      options.stream ? "{bpffs: " + root.file("bpffs") + ", " + options.room + ", " + options.sources + "}"
                     : "{enabled: false}";
  argv.insert(argv.end(),
              {"--config", root.write("flowtap.yaml", options.config + "\nstream: " + stream + "\n")});
  if (options.prometheus)
    argv.insert(argv.end(),
                {"--enable-prometheus", "--prometheus-address", "127.0.0.1:" + std::to_string(port)});
  argv.insert(argv.end(), options.flags.begin(), options.flags.end());
  return command;
}

std::uint16_t port_for(const DaemonOptions& options) {
  if (!options.prometheus) return 0;
  return *options.prometheus != 0 ? *options.prometheus : free_port();
}

std::string ask(const std::string& socket, const std::string& path) {
  const HttpAnswer answer = get_unix(socket, path);
  if (answer.status != 200)
    throw std::runtime_error(path + " answers " + std::to_string(answer.status) + " " + answer.body);
  return answer.body;
}

void add_series(SeriesMap& out, const std::string& name, const json::object& series) {
  Labels labels;
  for (const auto& [key, value] : series.at("labels").as_object())
    labels.emplace(std::string(key), std::string(value.as_string()));
  const auto value = [&series](const char* member) { return series.at(member).to_number<double>(); };
  if (series.contains("buckets")) {
    out.emplace(series_key(name + "_count", labels), value("total"));
    out.emplace(series_key(name + "_sum", labels), value("sum"));
    for (const auto& bucket : series.at("buckets").as_array()) {
      labels["le"] = json::serialize(bucket.at("le"));
      out.emplace(series_key(name + "_bucket", labels), bucket.at("total").to_number<double>());
    }
    labels["le"] = "+Inf";
    out.emplace(series_key(name + "_bucket", labels), value("total"));
  } else {
    out.emplace(series_key(name, labels), value(series.contains("value") ? "value" : "total"));
  }
}

}  // namespace

Daemon::Daemon(const ScratchRoot& root, const DaemonOptions& options)
    : root_(root),
      out_(fresh_name("stdout")),
      err_(fresh_name("stderr")),
      port_(port_for(options)),
      process_(daemon_command(root, options, port_, out_, err_)) {}

Daemon& Daemon::wait_ready() {
  const bool ready = eventually([this] { return get_unix(socket(), "/readyz").status == 200 || !running(); });
  const auto ended = wait(std::chrono::milliseconds(0));
  if (!ready || ended)
    throw std::runtime_error("flowtapd did not become ready" +
                             (ended ? ", but ended with " + std::to_string(*ended) : std::string()) + ":\n" +
                             err());
  return *this;
}

std::string Daemon::metrics() const {
  const HttpAnswer answer = get_tcp(port_, "/metrics");
  if (answer.status != 200)
    throw std::runtime_error("/metrics answers " + std::to_string(answer.status) + "\n" + err());
  return answer.body;
}

json::object Daemon::status() const {
  return json::parse(ask(socket(), "/api/v1/status")).as_object();
}

std::optional<Component> Daemon::component(const std::string& name) const {
  const json::object report = status();
  for (const auto& c : report.at("components").as_array())
    if (c.at("name").as_string() == name)
      return Component{c.at("up").as_bool(), std::string(c.at("detail").as_string()),
                       std::string(c.at("hint").as_string())};
  return std::nullopt;
}

Stats Daemon::stats() const {
  const json::object page = json::parse(ask(socket(), "/api/v1/stats")).as_object();
  Stats stats;
  stats.cycle = page.at("cycle").to_number<std::uint64_t>();
  stats.time = page.at("time_seconds").to_number<double>();
  for (const auto& family : page.at("families").as_array())
    for (const auto& series : family.at("series").as_array())
      add_series(stats.series, std::string(family.at("name").as_string()), series.as_object());
  return stats;
}

Stats Daemon::settled_stats() const {
  // The next cycle may have read some slots already. The one after it reads all slots later than now.
  const std::uint64_t next = stats().cycle + 2;
  Stats now;
  if (!eventually([this, &now, next] { return (now = stats()).cycle >= next; }))
    throw std::runtime_error("the cycles of flowtapd have stopped\n" + err());
  return now;
}

Ended run_flowtapd(const ScratchRoot& root, std::vector<std::string> flags) {
  const std::string out = fresh_name("stdout");
  const std::string err = fresh_name("stderr");
  flags.insert(flags.begin(), paths::flowtapd());
  Process process({.argv = std::move(flags), .out = root.file(out), .err = root.file(err)});
  const auto status = process.wait();
  return {status, root.read(out), root.read(err)};
}

}  // namespace flowtap::test
