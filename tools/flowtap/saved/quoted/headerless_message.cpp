#include "headerless_message.hpp"

#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/around/outer_time.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix_kind.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"
#include "tools/flowtap/saved/unwrap/objects/object_records.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kFarthestMessage = 1024;  // bytes before it
constexpr std::string_view kOpensField = R"(""")";

bool begins_message(std::string_view text) {
  return text.size() > 1 && text.front() == '"' && is_upper(text[1]);
}

/// What a line says, and where it goes on behind that.
struct Body {
  std::string text;
  std::size_t end;
};

Body body_at(std::string_view line, std::size_t at, bool in_field) {
  if (!in_field) return {.text = std::string(line.substr(at)), .end = line.size()};
  std::string buffer;
  const Opened field = open_text(line, {.at = at + 1, .quoting = Quoting::kDoubled}, buffer);
  return {.text = std::string(field.text), .end = field.end};
}

}  // namespace

std::optional<DatedRecord> record_of_message(std::string_view line) {
  if (flow::begins_klog_record(line)) return std::nullopt;
  const std::string_view near = line.substr(0, kFarthestMessage);
  for (std::size_t at = near.find('"'); at != std::string_view::npos; at = near.find('"', at + 1)) {
    const bool in_field = line.substr(at).starts_with(kOpensField) && begins_message(line.substr(at + 2));
    if (!in_field && !begins_message(line.substr(at))) continue;
    const std::string_view before = line.substr(0, at);
    if (prefix_kind(before) != PrefixKind::kTools) return std::nullopt;
    const Body body = body_at(line, at, in_field);
    const std::uint64_t in_front = first_time(before);
    const std::uint64_t time = in_front != 0 ? in_front : first_time(line.substr(body.end));
    std::string record = record_of_body(time, "schedule_one.go", body.text);
    if (time == 0 || !is_of_known_scheduler(record)) return std::nullopt;
    return DatedRecord{.text = std::move(record), .time = time};
  }
  return std::nullopt;
}

}  // namespace flowtap::cli
