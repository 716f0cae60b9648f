#include "unfinished.hpp"

#include <algorithm>
#include <string>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/kube_columns.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix_kind.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"

namespace flowtap::cli {
namespace {

using PairKind = flow::KlogPair::Kind;

constexpr std::string_view kAtEdges = " \t\r";
// klog's time, a thread and a file's name.
constexpr std::size_t kLongestCut = 100;
constexpr std::size_t kLongestKey = 40;
constexpr std::string_view kFailed = " FailedScheduling ";

constexpr Ending ended_if(bool whole) {
  return whole ? Ending::kWhole : Ending::kOpen;
}

std::optional<Ending> ending_of_record(std::string_view text) {
  const auto record = flow::parse_klog_record(text);
  if (!record) return std::nullopt;
  if (record->form == flow::KlogForm::kText && (record->source.empty() || record->body.empty()))
    return Ending::kOpen;
  if (!record->structured) return std::nullopt;
  const bool in_message =
      record->form == flow::KlogForm::kText && flow::end_of_quoted(record->body, 1) == std::string_view::npos;
  if (in_message || text.ends_with('=')) return Ending::kOpen;
  flow::KlogPairs pairs(*record);
  flow::KlogPair pair;
  // Between brackets klog writes no value that does not end.
  const auto is_cut = [&pair] {
    const bool in_brackets = pair.value.starts_with('{') || pair.value.starts_with('[');
    return pair.kind == PairKind::kCut || (pair.kind == PairKind::kUnquoted && in_brackets);
  };
  while (pairs.next(pair))
    if (is_cut()) return Ending::kOpen;
  if (pairs.cut()) return std::nullopt;  // a value of several lines
  const std::string_view rest = trimmed(record->body.substr(pairs.at()), kAtEdges);
  return ended_if(record->form == flow::KlogForm::kText ? rest.empty() : rest == "}");
}

std::optional<Ending> ending_of(std::string_view line, const Enclosed& found) {
  std::string buffer;
  const Opened opened = open_text(line, found, buffer);
  switch (found.quoting) {
    case Quoting::kDoubled:
      return std::nullopt;  // a field of CSV has its own end
    case Quoting::kEscaped:
      return ended_if(opened.closed && (!line.starts_with('{') || trimmed(line, kAtEdges).ends_with('}')));
    case Quoting::kNone:
    case Quoting::kRaw:
      return ending_of_record(opened.text);
  }
  return std::nullopt;
}

// Where a header begins that the line cuts before its end.
std::optional<std::size_t> cut_header(std::string_view line) {
  const std::size_t from = line.size() - std::min(line.size(), kLongestCut);
  for (std::size_t at = from; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    if (flow::klog_form(rest) != flow::KlogForm::kText || rest.contains(']')) continue;
    const bool begins_word = at == 0 || !is_alphanumeric(line[at - 1]);
    if (begins_word && prefix_kind(line.substr(0, at)) == PrefixKind::kTools) return at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LongText> long_text(std::string_view line) {
  if (const auto found = find_record(line)) {
    const auto ending = ending_of(line, *found);
    if (!ending) return std::nullopt;
    return LongText{.before = line.substr(0, found->at), .ending = *ending};
  }
  if (const auto at = cut_header(line))
    return LongText{.before = line.substr(0, *at), .ending = Ending::kOpen};
  if (!line.contains(kFailed) || !is_event_row(line)) return std::nullopt;
  return LongText{.before = {}, .ending = ended_if(trimmed(line, kAtEdges).ends_with('.'))};
}

// Before the type stand at most the namespace and how long ago the event was.
bool is_event_row(std::string_view line) {
  KubeColumns columns(line);
  for (int i = 0; i < 3; ++i)
    if (const std::string_view word = columns.word(); word == "Normal" || word == "Warning") return true;
  return false;
}

// HAMi's keys may have two words.
bool begins_pair(std::string_view text) {
  text = trimmed(text, kAtEdges);
  const std::size_t sign = text.find(R"(=")");
  const auto of_key = [](char c) { return is_alphanumeric(c) || c == ' '; };
  return sign != 0 && sign < kLongestKey && std::ranges::all_of(text.substr(0, sign), of_key);
}

}  // namespace flowtap::cli
