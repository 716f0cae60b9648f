#include "api/json/status_json.hpp"

#include "api/json/stream_status_json.hpp"
#include "base/json/members.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

json::object count_to_json(const CountStatus& count) {
  json::array programs;
  for (const ProgramStatus& p : count.programs)
    programs.push_back(json::object{{"name", p.name},
                                    {"attached", p.attached},
                                    {"run_count", optional_number(p.run_count)},
                                    {"run_time_seconds", optional_number(p.run_time_seconds)},
                                    {"recursion_misses", optional_number(p.recursion_misses)}});
  json::object out{{"cycle_seconds", number(count.cycle_seconds)},
                   {"cycles", count.cycles},
                   {"last_cycle_seconds", optional_number(count.last_cycle_seconds)}};
  // A machine has CPUs: without any they are not known, as where the count path cannot start.
  if (count.cpus_possible > 0)
    out.emplace("cpus", json::object{{"possible", count.cpus_possible}, {"online", count.cpus_online}});
  out.emplace("programs", std::move(programs));
  return out;
}

CountStatus count_from_json(const json::object& object) {
  CountStatus count;
  count.cycle_seconds = number_member(object, "cycle_seconds").value_or(0);
  count.cycles = count_member(object, "cycles").value_or(0);
  count.last_cycle_seconds = number_member(object, "last_cycle_seconds");
  const auto* cpus = member(object, "cpus");
  if (cpus != nullptr && cpus->is_object()) {
    count.cpus_possible = count_member(cpus->get_object(), "possible").value_or(0);
    count.cpus_online = count_member(cpus->get_object(), "online").value_or(0);
  }
  each_object(object, "programs", [&count](const json::object& p) {
    count.programs.push_back({text_member(p, "name"), bool_member(p, "attached"),
                              count_member(p, "run_count"), number_member(p, "run_time_seconds"),
                              count_member(p, "recursion_misses")});
  });
  return count;
}

}  // namespace

std::string status_to_json(const StatusReport& report) {
  json::array components;
  for (const ComponentStatus& c : report.components)
    components.push_back(
        json::object{{"name", c.name}, {"up", c.up}, {"detail", c.detail}, {"hint", c.hint}});
  json::array backends;
  for (const BackendStatus& b : report.backends)
    backends.push_back(json::object{{"name", b.name},
                                    {"up", b.up},
                                    {"pending", b.pending},
                                    {"lost", b.lost},
                                    {"last_error", b.last_error}});
  json::array read_errors;
  for (const ReadErrorStatus& e : report.read_errors)
    read_errors.push_back(json::object{{"what", e.what}, {"count", e.count}});
  json::object body{{"version", report.version},
                    {"kernel", report.kernel},
                    {"uptime_seconds", number(report.uptime_seconds)},
                    {"components", std::move(components)},
                    {"count", count_to_json(report.count)},
                    {"backends", std::move(backends)},
                    {"read_errors", std::move(read_errors)}};
  if (report.stream) body["stream"] = stream_status_to_json(*report.stream);
  return json::serialize(body);
}

Result<StatusReport> status_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the status"));
  StatusReport report;
  report.version = text_member(object, "version");
  report.kernel = text_member(object, "kernel");
  report.uptime_seconds = number_member(object, "uptime_seconds").value_or(0);
  each_object(object, "components", [&report](const json::object& c) {
    report.components.push_back(
        {text_member(c, "name"), bool_member(c, "up"), text_member(c, "detail"), text_member(c, "hint")});
  });
  if (const auto* count = member(object, "count"); count != nullptr && count->is_object())
    report.count = count_from_json(count->get_object());
  if (const auto* stream = member(object, "stream"); stream != nullptr && stream->is_object())
    report.stream = stream_status_from_json(stream->get_object());
  each_object(object, "backends", [&report](const json::object& b) {
    report.backends.push_back({text_member(b, "name"), bool_member(b, "up"),
                               count_member(b, "pending").value_or(0), count_member(b, "lost").value_or(0),
                               text_member(b, "last_error")});
  });
  each_object(object, "read_errors", [&report](const json::object& e) {
    report.read_errors.push_back({text_member(e, "what"), count_member(e, "count").value_or(0)});
  });
  return report;
}

}  // namespace flowtap::api
