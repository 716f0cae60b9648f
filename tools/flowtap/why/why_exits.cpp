#include "why_exits.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include "api/json/exits_json.hpp"
#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/flows/short_id.hpp"
#include "base/json/members.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "why_next.hpp"

namespace flowtap::cli {
namespace {

using Time = std::chrono::system_clock::time_point;

// Two users or two runtimes may give one name, and a container may take the place of one before.
bool may_have_namesakes(const api::EndedInstance& of) {
  return of.pod.empty() && of.unit.empty();
}

// For each name, the id of the container that the newest event is about.
std::map<std::string, std::string> newest_ids(const api::Exits& exits) {
  std::map<std::string, std::pair<Time, std::string>> newest;
  const auto look_at = [&newest](const auto& all) {
    for (const auto& one : all) {
      if (!may_have_namesakes(one.of)) continue;
      const auto [at, is_new] = newest.try_emplace(one.container, one.time, one.of.id);
      if (!is_new && one.time > at->second.first) at->second = {one.time, one.of.id};
    }
  };
  look_at(exits.exits);
  look_at(exits.oom_kills);
  std::map<std::string, std::string> ids;
  for (auto& [name, last] : newest) ids.emplace(name, std::move(last.second));
  return ids;
}

// Takes those out of `all` that are of an older namesake, the newest first.
template <typename One>
std::vector<One> taken_older(std::vector<One>& all, const std::map<std::string, std::string>& newest) {
  const auto others = std::ranges::stable_partition(all, [&newest](const One& one) {
    return !may_have_namesakes(one.of) || newest.at(one.container) == one.of.id;
  });
  std::vector<One> older(std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  all.erase(others.begin(), others.end());
  std::ranges::sort(older, std::ranges::greater{}, &One::time);
  return older;
}

Answer<Ends> ends_at(const std::string& state_dir, const std::string& target) {
  const auto body = ask(state_dir, target);
  if (!body) return std::unexpected(body.error());
  auto exits = api::exits_from_json(*body);
  if (!exits) return std::unexpected(Failure{std::move(exits).error(), kFailure});
  Ends ends;
  const auto newest = newest_ids(*exits);
  ends.of_others = taken_older(exits->exits, newest);
  ends.kills_of_others = taken_older(exits->oom_kills, newest);
  for (api::ContainerExit& exit : exits->exits) {
    // The flow may be gone, to make room for others.
    auto lines = ask_for_last_lines(state_dir, exit.flow);
    ends.ended.push_back({.exit = std::move(exit), .lines = std::move(lines)});
  }
  ends.oom_kills = std::move(exits->oom_kills);
  return ends;
}

/// "the container app", "its process nginx".
template <typename One>
std::string subject(const One& one) {
  if (!one.of.unit.empty()) return "its process " + in_quotes(one.process);
  return "the container " + printable(one.container);
}

std::string when(Time time, Time now) {
  return fmt::format(", {} ({})", age_words(time, now), rfc3339_nano(time));
}

std::string end_text(std::string_view of, const Ended& ended, Time now, const Style& style) {
  const api::ContainerExit& exit = ended.exit;
  std::string text =
      style.paint("1", fmt::format("{}: {} {}", printable(of), subject(exit), end_words(exit)));
  text += when(exit.time, now);
  if (!exit.started) {
    text += '\n';
  } else {
    text += ended.silent          ? "; it wrote nothing\n"
            : ended.lines.empty() ? "; nothing that it wrote is kept\n"
                                  : "; its last lines:\n";
    for (const QuotedLine& line : ended.lines)
      text += "  " + printable(line.text) + (line.cut ? "..." : "") + "\n";
  }
  for (const std::string& todo : next_steps(exit, !ended.lines.empty())) text += todo_text(todo, style);
  if (ended.cut() && !ended.badly())
    text += todo_text(fmt::format("flowtap logs {} has these lines whole", exit.flow), style);
  return text;
}

std::string kills_text(std::string_view of, const api::ContainerKills& kills, Time now, const Style& style) {
  const std::string whose =
      kills.of.unit.empty() ? " of the container " + printable(kills.container) : " of it";
  const std::string what = kills.count == 1
                               ? fmt::format("the process {}{} was killed", in_quotes(kills.process), whose)
                               : fmt::format("{} processes{} were killed", grouped(kills.count), whose);
  std::string text =
      style.paint("1", fmt::format("{}: {}, because memory was used up (OOM)", printable(of), what));
  if (kills.count > 1) text += ", the last one, " + in_quotes(kills.process);
  return text + when(kills.time, now) + '\n' + todo_text(memory_step(!kills.of.pod.empty()), style);
}

std::string others_text(std::string_view of, const Ends& ends, const Style& style) {
  constexpr std::size_t kShown = 3;
  std::map<std::string, Time> last;
  for (const api::ContainerExit& exit : ends.of_others) last.emplace(exit.of.id, exit.time);
  const bool all_ended = std::ranges::all_of(
      ends.kills_of_others, [&last](const api::ContainerKills& kills) { return last.contains(kills.of.id); });
  for (const api::ContainerKills& kills : ends.kills_of_others) last.emplace(kills.of.id, kills.time);
  std::vector<std::pair<Time, std::string>> others;
  others.reserve(last.size());
  for (const auto& [id, time] : last) others.emplace_back(time, id);
  std::ranges::sort(others, std::ranges::greater{});
  std::string text = fmt::format(
      "{}: {} of this name ended before{}\n", printable(of),
      others.size() == 1 ? "another container" : fmt::format("{} other containers", others.size()),
      all_ended ? "" : ", or had processes killed");
  for (const auto& [time, id] : others | std::views::take(kShown))
    text += todo_text(fmt::format("flowtap why {} says how", printable(id.substr(0, kShortId))), style);
  return text;
}

/// An end for want of memory already says that of its run.
bool is_told(const api::ContainerKills& kills, const Ends& ends) {
  return std::ranges::any_of(ends.ended, [&kills](const Ended& ended) {
    return ended.exit.oom && ended.exit.flow == kills.flow && ended.exit.container == kills.container;
  });
}

}  // namespace

bool Ends::badly() const {
  return !oom_kills.empty() || std::ranges::any_of(ended, &Ended::badly);
}

Answer<Ends> ask_for_ends(const std::string& state_dir, const PodName& pod) {
  return ends_at(state_dir, fmt::format("{}/{}/pods/{}/exits", api::kNamespacesPath,
                                        api::percent_encode(pod.ns), api::percent_encode(pod.name)));
}

Answer<Ends> ask_for_ends(const std::string& state_dir, std::string_view name) {
  return ends_at(state_dir, fmt::format("{}?name={}", api::kExitsPath, api::percent_encode(name)));
}

std::string end_words(const api::ContainerExit& exit) {
  if (!exit.started) return "was never started: its program could not be executed";
  const bool is_excused = exit.success && (exit.signal || exit.code.value_or(0) != 0);
  const std::string_view excuse = is_excused ? ", which systemd counts as a success" : "";
  if (!exit.signal) return fmt::format("ended with code {}{}", exit.code.value_or(0), excuse);
  const char* const name = ::sigabbrev_np(static_cast<int>(*exit.signal));
  return fmt::format("was killed by signal {}{}{}", *exit.signal,
                     name != nullptr ? fmt::format(" (SIG{})", name) : std::string(),
                     exit.oom ? ", because memory was used up (OOM)" : excuse);
}

std::string age_words(Time time, Time now) {
  const std::chrono::duration<double> age = now - time;
  return uptime_text(std::max(age.count(), 0.0)) + " ago";
}

std::string ends_text(std::string_view of, const Ends& ends, bool all, Time now, const Style& style) {
  std::string text;
  const auto add = [&text](const std::string& paragraph) { text += (text.empty() ? "" : "\n") + paragraph; };
  for (const Ended& ended : ends.ended)
    if (all || ended.badly()) add(end_text(of, ended, now, style));
  for (const api::ContainerKills& kills : ends.oom_kills)
    if (!is_told(kills, ends)) add(kills_text(of, kills, now, style));
  if (all && !(ends.of_others.empty() && ends.kills_of_others.empty())) add(others_text(of, ends, style));
  return text;
}

std::string with_ends(std::string_view body, const Ends& ends) {
  namespace json = boost::json;
  json::object object;
  if (auto parsed = parse_object(body, "the answer")) object = std::move(*parsed);
  api::Exits exits{.exits = {}, .oom_kills = ends.oom_kills};
  for (const Ended& one : ends.ended) exits.exits.push_back(one.exit);
  std::ranges::copy(ends.of_others, std::back_inserter(exits.exits));
  std::ranges::copy(ends.kills_of_others, std::back_inserter(exits.oom_kills));
  json::object told = json::parse(api::exits_to_json(exits)).as_object();
  json::array& all = told.at("exits").as_array();
  for (std::size_t i = 0; i < ends.ended.size(); ++i) {
    json::array lines;
    for (const QuotedLine& line : ends.ended[i].lines) lines.emplace_back(utf8(line.text));
    all[i].as_object()["lines"] = std::move(lines);
    if (ends.ended[i].cut()) all[i].as_object()["lines_cut"] = true;
  }
  for (auto& member : told) object[member.key()] = std::move(member.value());
  return json::serialize(object);
}

}  // namespace flowtap::cli
