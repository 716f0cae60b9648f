#include "output_limit.hpp"

#include <fmt/format.h>

#include "tools/flowtap/client.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "tools/flowtap/terminal/writer.hpp"

namespace flowtap::cli {

std::string_view OutputLimit::take(std::string_view bytes) {
  fitting_.clear();
  if (is_cut_) return {};
  if (objects_) {
    lines_.take(bytes, [this](std::string_view line) {
      is_cut_ = is_cut_ || line.size() >= left_ - fitting_.size();
      if (!is_cut_) fitting_.append(line).append(1, '\n');
    });
  } else {
    fitting_ = bytes.substr(0, left_);
    is_cut_ = fitting_.size() < bytes.size();
  }
  left_ -= fitting_.size();
  taken_ += fitting_.size();
  if (!fitting_.empty()) last_ = fitting_.back();
  return fitting_;
}

std::string OutputLimit::sentence() const {
  return fmt::format("the output ends after {} {} (--limit-bytes)", grouped(taken_),
                     taken_ == 1 ? "byte" : "bytes");
}

bool write_within(OutputLimit* limit, Writer& writer, std::string_view bytes) {
  if (limit == nullptr) return writer.write(bytes);
  return writer.write(limit->take(bytes)) && !limit->is_over();
}

bool say_limit(const OutputLimit* limit, Writer& writer) {
  if (limit == nullptr || !limit->is_over()) return false;
  if (writer.is_terminal() && !limit->is_at_line_begin()) static_cast<void>(writer.write("\n"));
  complain({limit->sentence(), "", 0});
  return true;
}

}  // namespace flowtap::cli
