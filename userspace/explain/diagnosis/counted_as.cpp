#include "explain/diagnosis/counted_as.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "explain/diagnosis/failed_nodes.hpp"

namespace flowtap::diagnosis {
namespace {

/// What a line about a node begins with, and what the count of such nodes does.
struct Counts {
  std::string_view said;
  std::string_view counted;
};
constexpr std::array kCounts = {
    Counts{kTaintsOfNode, "node(s) had untolerated taint"},
    Counts{kTaintsOfNode, "node(s) had taint "},  // up to 1.23
    Counts{"cannot ", "cannot align "},           // the NUMA-aware scheduler's plugin
    Counts{"invalid ", kInvalidTopology},         // its, too
    Counts{"node(s) didn't match PersistentVolume's",
           "node(s) had volume node affinity conflict"},  // up to 1.34
};
// HAMi says anything of a node, and up to 2.9 its nodes are counted in these words.
constexpr std::array<std::string_view, 4> kOfAll = {"NodeUnfitPod", "node not fit pod", "cannot align ",
                                                    kInvalidTopology};

// The words of devices by claims do not begin as others.
constexpr std::array<std::string_view, 4> kCountedWords = {"node(s) ", "resourceclaim ", "claim ",
                                                           "cannot allocate all claims"};

// What stands between the two texts; nothing if one of them is missing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

// "{key: value}", as kube-scheduler counts a taint up to 1.34. A line about the node has it as JSON, or as Go prints the structure:
// "&Taint{Key:dedicated,Value:ml,Effect:NoSchedule,TimeAdded:<nil>,}".
std::string taint_in(std::string_view reason) {
  const std::size_t brace = std::min(reason.find('{'), reason.size());
  boost::json::error_code error;
  const auto value = boost::json::parse({reason.data() + brace, reason.size() - brace}, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto member = [&](const char* name, std::string_view begin) {
    if (object == nullptr) return std::string(between(reason, begin, ","));
    const auto* found = object->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  return '{' + member("key", "Key:") + ": " + member("value", "Value:") + '}';
}

}  // namespace

bool is_counted_by_words(std::string_view reason) {
  return std::ranges::any_of(kCountedWords,
                             [reason](std::string_view words) { return reason.starts_with(words); });
}

std::vector<std::string> counted_as(std::string_view reason) {
  std::vector<std::string> out;
  for (const Counts& row : kCounts) {
    if (!reason.starts_with(row.said)) continue;
    if (row.said == kTaintsOfNode) {
      const std::string_view end = row.counted.ends_with(' ') ? "" : " ";
      out.push_back(std::string(row.counted).append(end).append(taint_in(reason)));
    }
    out.emplace_back(row.counted);
  }
  if (out.empty()) out.assign(kOfAll.begin(), kOfAll.end());
  return out;
}

}  // namespace flowtap::diagnosis
