#include "why_attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "explain/diagnosis/chosen_node.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "why_words.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;

// The answer must stay one line.
constexpr std::size_t kLongestPast = 80;
constexpr std::size_t kMostWords = 3;

std::string ordinal(std::size_t number) {
  const std::size_t tens = number / 10 % 10;
  const std::size_t ones = tens == 1 ? 0 : number % 10;
  return grouped(number) + (ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

// Whole seconds: "2026-08-21 07:12:30 UTC".
std::string shown(const std::chrono::system_clock::time_point& time) {
  constexpr std::size_t kDay = 10;
  constexpr std::size_t kSeconds = 19;
  const std::string all = rfc3339_nano(time);
  return all.substr(0, kDay) + ' ' + all.substr(kDay + 1, kSeconds - kDay - 1) + " UTC";
}

std::string words_of(const Diagnosis::Past& past) {
  Diagnosis failed;
  failed.filter.summary = past.summary;
  if (past.status == Diagnosis::Status::kPending) return "nothing was decided";
  const std::size_t nodes = past.at_bind ? 0 : diagnosis::failed_nodes(failed).nodes;
  if (nodes > 0) return no_node_words(nodes);
  if (past.summary.empty() || past.summary == diagnosis::kCutOff)
    return past.at_bind ? "the bind failed" : "no node was found";
  return in_quotes(diagnosis::cause_on_chosen_node(past.summary), kLongestPast);
}

}  // namespace

std::string attempt_words(const Diagnosis& diagnosis, std::string_view times) {
  if (diagnosis.attempt == 0 || (diagnosis.attempt == 1 && !diagnosis.last)) return {};
  std::string out = ordinal(diagnosis.attempt) + " attempt";
  if (!diagnosis.scheduler.empty()) out += ", by " + printable(diagnosis.scheduler);
  if (diagnosis.last) out += " at " + shown(*diagnosis.last);
  std::vector<std::pair<std::string, std::size_t>> before;
  std::size_t more = diagnosis.attempt - 1;
  for (const Diagnosis::Past& past : diagnosis.history) {
    std::string words = words_of(past);
    const auto same = std::ranges::find(before, words, &std::pair<std::string, std::size_t>::first);
    if (same == before.end() && before.size() == kMostWords) continue;
    if (same == before.end())
      before.emplace_back(std::move(words), 1);
    else
      ++same->second;
    more -= std::min<std::size_t>(more, 1);
  }
  const char* between = "; before: ";
  for (const auto& [words, count] : before) {
    out += std::exchange(between, ", ");
    out += count > 1 ? fmt::format("{} {} {}", count, times, words) : words;
  }
  if (more > 0) out += fmt::format("{}{} more", between, grouped(more));
  return out;
}

}  // namespace flowtap::cli
