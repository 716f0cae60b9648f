#include "tests/support/flows/flows.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <stdexcept>

#include "base/percent.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/writer_lines.h"

namespace flowtap::test {
namespace {

namespace json = boost::json;

HttpAnswer get(const Daemon& daemon, const std::string& path) {
  HttpAnswer answer = get_unix(daemon.socket(), path);
  if (answer.status != 200)
    throw std::runtime_error(path + " answers " + std::to_string(answer.status) + " " + answer.body + "\n" +
                             daemon.err());
  return answer;
}

FlowSeen flow_seen(const json::object& o) {
  FlowSeen flow;
  flow.id = o.at("id").as_string();
  flow.kind = o.at("kind").as_string();
  for (const char* name : {"namespace", "pod", "uid", "container", "image", "runtime", "group"})
    if (const auto* value = o.if_contains(name)) flow.text[name] = value->as_string();
  if (const auto* restart = o.if_contains("restart")) flow.restart = restart->to_number<std::uint64_t>();
  flow.bytes = o.at("bytes").to_number<std::uint64_t>();
  flow.missing = o.at("missing_bytes").to_number<std::uint64_t>();
  flow.found = o.at("found_bytes").to_number<std::uint64_t>();
  flow.lines = o.at("lines").to_number<std::uint64_t>();
  flow.more_before = o.contains("more_before");
  flow.open = o.at("open").as_bool();
  flow.suspect = o.at("suspect").as_bool();
  flow.streams = o.at("streams").as_array().size();
  for (const auto& stream : o.at("streams").as_array())
    flow.capture[std::string(stream.at("name").as_string())] = stream.at("capture").as_string();
  return flow;
}

}  // namespace

std::vector<FlowSeen> flows_of(const Daemon& daemon, const std::string& query) {
  const json::value page = json::parse(get(daemon, "/api/v1/flows" + query).body);
  std::vector<FlowSeen> all;
  for (const auto& flow : page.at("flows").as_array()) all.push_back(flow_seen(flow.as_object()));
  return all;
}

std::optional<FlowSeen> ended_flow(const Daemon& daemon, const std::string& part) {
  std::optional<FlowSeen> found;
  const bool ended = eventually([&] {
    for (const FlowSeen& flow : flows_of(daemon))
      if (!flow.open && flow.id.find(part) != std::string::npos) found = flow;
    return found.has_value();
  });
  if (ended) return found;
  std::printf("no flow with %s has ended; there are:\n", part.c_str());
  for (const FlowSeen& flow : flows_of(daemon))
    std::printf("  %s %lu bytes %s\n", flow.id.c_str(), flow.bytes, flow.open ? "open" : "ended");
  return found;
}

std::string escaped(const std::string& id) {
  return percent_encoded(id, "-._~");
}

std::string raw_bytes(const Daemon& daemon, const std::string& id, const std::string& stream) {
  return get(daemon, "/api/v1/flows/" + escaped(id) + "/raw" + (stream.empty() ? "" : "?stream=" + stream))
      .body;
}

std::string log_path(const std::string& id, const std::string& stream, bool follow) {
  const std::string output = stream == "stdout"   ? "&stream=Stdout"
                             : stream == "stderr" ? "&stream=Stderr"
                                                  : "";
  return "/api/v1/flows/" + escaped(id) + "/log?follow=" + (follow ? "true" : "false") + output;
}

std::string log_text(const Daemon& daemon, const std::string& id, const std::string& stream) {
  return get(daemon, log_path(id, stream)).body;
}

std::string writer_lines(unsigned first, unsigned count) {
  std::string all;
  all.reserve(std::size_t{count} * 60U);
  for (unsigned i = first; i < first + count; ++i) {
    char line[WRITER_LONGEST];
    all.append(line, writer_line(i, line));
  }
  return all;
}

bool are_writer_lines(const std::string& text) {
  const auto lines = static_cast<unsigned>(std::ranges::count(text, '\n'));
  return !text.empty() && writer_lines(0, lines + 1).starts_with(text);
}

WriterOutputs writer_outputs(unsigned first, unsigned count) {
  WriterOutputs outputs;
  for (unsigned i = first; i < first + count; ++i)
    (writer_line_is_error(i) != 0 ? outputs.err : outputs.out) += writer_lines(i, 1);
  return outputs;
}

std::string difference(const std::string& got, const std::string& wanted) {
  if (got == wanted) return {};
  const auto [a, b] = std::ranges::mismatch(got, wanted);
  const auto at = static_cast<std::size_t>(a - got.begin());
  const auto near = [at](const std::string& text) { return text.substr(at, 60); };
  return std::to_string(got.size()) + " bytes instead of " + std::to_string(wanted.size()) +
         ", the first difference at " + std::to_string(at) + ": '" + near(got) + "' instead of '" +
         near(wanted) + "'";
}

}  // namespace flowtap::test
