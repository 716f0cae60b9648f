#include "daemon/stream/written_tail.hpp"

namespace flowtap {

std::size_t WrittenTail::known(std::string_view line) {
  if (text_.empty() || line.empty()) return 0;
  if (!begun_ && !find(line))
    at_ = text_.rfind('\n') + 1;  // it may be the one that was cut off; npos + 1 is 0
  begun_ = true;
  const std::string_view rest = std::string_view(text_).substr(at_);
  if (!rest.empty() && rest.starts_with(line)) {
    at_ += line.size();
    return line.size();
  }
  const std::size_t cut = line.starts_with(rest) ? rest.size() : 0;
  std::string().swap(text_);
  return cut;
}

bool WrittenTail::find(std::string_view line) {
  for (std::size_t at = 0; (at = text_.find(line, at)) != std::string::npos; ++at) {
    if (at > 0 && text_[at - 1] != '\n') continue;
    at_ = at;
    return true;
  }
  return false;
}

}  // namespace flowtap
