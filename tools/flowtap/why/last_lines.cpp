#include "last_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "api/socket_path.hpp"
#include "base/printable.hpp"
#include "http/client/stream_client.hpp"

namespace flowtap::cli {

void LastLines::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (!open_) lines_.emplace_back();
    if (lines_.size() > kQuotedLines) lines_.pop_front();
    QuotedLine& line = lines_.back();
    const std::string_view more = bytes.substr(0, end);
    line.cut = line.cut || line.text.size() + more.size() > kMostQuoted;
    line.text += more.substr(0, kMostQuoted - line.text.size());
    open_ = end == std::string_view::npos;
    bytes.remove_prefix(open_ ? bytes.size() : end + 1);
  }
}

std::vector<QuotedLine> LastLines::lines() const {
  std::vector<QuotedLine> lines(lines_.begin(), lines_.end());
  for (QuotedLine& line : lines)
    if (line.cut) line.text.resize(line.text.size() - unfinished_utf8(line.text));
  return lines;
}

std::vector<QuotedLine> ask_for_last_lines(const std::string& state_dir, const std::string& flow) {
  LastLines last;
  bool is_whole = false;
  const std::array requests = {http::StreamRequest{
      fmt::format("{}/{}/log?tailLines={}", api::kFlowsPath, api::percent_encode(flow), kQuotedLines),
      [&last](std::string_view bytes) {
        last.take(bytes);
        return true;
      },
      [&is_whole](const Result<http::StreamEnd>& end) { is_whole = end && end->reply.status == 200; }}};
  const Status asked = http::fetch_streams(api::socket_path(state_dir), requests, -1);
  return asked && is_whole ? last.lines() : std::vector<QuotedLine>();
}

}  // namespace flowtap::cli
