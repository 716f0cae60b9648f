#include "api/json/exits_json.hpp"

#include <utility>

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

void put_text(json::object& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out[json_view(name)] = utf8(text);
}

/// What both lists have at the end.
template <typename One>
void put_rest(json::object& out, const One& one) {
  put_text(out, "process", one.process);
  out["flow"] = utf8(one.flow);
  put_text(out, "namespace", one.of.ns);
  put_text(out, "pod", one.of.pod);
  put_text(out, "id", one.of.id);
}

/// What both lists have at the beginning.
template <typename One>
json::object head(const One& one) {
  json::object out;
  put_text(out, one.of.unit.empty() ? "container" : "unit",
           one.of.unit.empty() ? one.container : one.of.unit);
  out["time"] = rfc3339_nano(one.time);
  return out;
}

json::object to_json(const ContainerExit& exit) {
  json::object out = head(exit);
  if (!exit.started) out["started"] = false;
  if (exit.code) out["code"] = *exit.code;
  if (exit.signal) out["signal"] = *exit.signal;
  out["oom"] = exit.oom;
  if (exit.success) out["success"] = true;
  put_rest(out, exit);
  return out;
}

json::object to_json(const ContainerKills& kills) {
  json::object out = head(kills);
  out["count"] = kills.count;
  put_rest(out, kills);
  return out;
}

template <typename One>
json::array all_of(const std::vector<One>& all) {
  json::array out;
  for (const One& one : all) out.push_back(to_json(one));
  return out;
}

// A larger number is neither a code nor a signal.
std::optional<unsigned> small_member(const json::object& object, std::string_view name) {
  const auto count = count_member(object, name);
  constexpr std::uint64_t kMost = 255;
  return count && *count <= kMost ? std::optional(static_cast<unsigned>(*count)) : std::nullopt;
}

/// What both lists have; absent: it does not say who or when.
template <typename One>
std::optional<One> common_from(const json::object& object) {
  const auto time = parse_rfc3339(text_member(object, "time"));
  One one;
  one.container = text_member(object, "container");
  one.flow = text_member(object, "flow");
  one.process = text_member(object, "process");
  one.of = {.ns = text_member(object, "namespace"),
            .pod = text_member(object, "pod"),
            .id = text_member(object, "id"),
            .unit = text_member(object, "unit")};
  if (!time || one.container.empty() == one.of.unit.empty()) return std::nullopt;
  one.time = *time;
  return one;
}

}  // namespace

std::string exits_to_json(const Exits& exits) {
  json::object out{{"exits", all_of(exits.exits)}};
  if (!exits.oom_kills.empty()) out["oom_kills"] = all_of(exits.oom_kills);
  return json::serialize(out);
}

Result<Exits> exits_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the list of exits"));
  Exits exits;
  each_object(object, "exits", [&exits](const json::object& one) {
    auto exit = common_from<ContainerExit>(one);
    if (!exit) return;
    const auto* const started = member(one, "started");
    exit->started = started == nullptr || !started->is_bool() || started->get_bool();
    exit->code = small_member(one, "code");
    exit->signal = small_member(one, "signal");
    exit->oom = bool_member(one, "oom");
    exit->success = bool_member(one, "success");
    exits.exits.push_back(std::move(*exit));
  });
  each_object(object, "oom_kills", [&exits](const json::object& one) {
    auto kills = common_from<ContainerKills>(one);
    if (!kills) return;
    kills->count = count_member(one, "count").value_or(0);
    if (kills->count > 0) exits.oom_kills.push_back(std::move(*kills));
  });
  return exits;
}

}  // namespace flowtap::api
