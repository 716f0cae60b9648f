#include "api/json/exits_json.hpp"

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

json::object to_json(const ContainerExit& exit) {
  json::object out{{"container", utf8(exit.container)}, {"time", rfc3339_nano(exit.time)}};
  if (exit.code) out["code"] = *exit.code;
  if (exit.signal) out["signal"] = *exit.signal;
  out["oom"] = exit.oom;
  out["flow"] = utf8(exit.flow);
  return out;
}

// A larger number is neither a code nor a signal.
std::optional<unsigned> small_member(const json::object& object, std::string_view name) {
  const auto count = count_member(object, name);
  constexpr std::uint64_t kMost = 255;
  return count && *count <= kMost ? std::optional(static_cast<unsigned>(*count)) : std::nullopt;
}

}  // namespace

std::string exits_to_json(const std::vector<ContainerExit>& exits) {
  json::array all;
  for (const ContainerExit& exit : exits) all.push_back(to_json(exit));
  return json::serialize(json::object{{"exits", std::move(all)}});
}

Result<std::vector<ContainerExit>> exits_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the list of exits"));
  std::vector<ContainerExit> exits;
  each_object(object, "exits", [&exits](const json::object& one) {
    const auto time = parse_rfc3339(text_member(one, "time"));
    ContainerExit exit{.container = text_member(one, "container"),
                       .flow = text_member(one, "flow"),
                       .time = time.value_or(std::chrono::system_clock::time_point{}),
                       .code = small_member(one, "code"),
                       .signal = small_member(one, "signal"),
                       .oom = bool_member(one, "oom")};
    if (time && !exit.container.empty()) exits.push_back(std::move(exit));
  });
  return exits;
}

}  // namespace flowtap::api
