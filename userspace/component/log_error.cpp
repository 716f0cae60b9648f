#include "component/log_error.hpp"

#include <spdlog/spdlog.h>

#include "base/printable.hpp"

namespace flowtap {

void log_error(const Error& error) {
  spdlog::error("{}", printable(error.what));
  if (!error.hint.empty()) spdlog::error("hint: {}", printable(error.hint));
}

void log_warning(const std::string& sentence) {
  spdlog::warn("{}", printable(sentence));
}

}  // namespace flowtap
