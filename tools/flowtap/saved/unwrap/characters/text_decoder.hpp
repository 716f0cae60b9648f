// Text as UTF-8 that a tool has saved in UTF-16, as Windows' shells do, or in UTF-32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// UTF-8's byte order mark.
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

class TextDecoder {
 public:
  /// The bytes as UTF-8; those that may be a part of what comes next are held back. What is neither stays as it is. The view
  /// lives until the next call.
  [[nodiscard]] std::string_view decode(std::string_view bytes);
  /// What is held back: no more comes.
  [[nodiscard]] std::string_view finish();

 private:
  enum class Form : std::uint8_t { kUndecided, kAsIs, kLittleEndian, kBigEndian };

  void decide();
  [[nodiscard]] std::string_view decoded(std::string_view bytes);
  [[nodiscard]] std::uint32_t unit_at(std::string_view bytes) const;
  void add_unit(std::uint32_t unit);

  Form form_ = Form::kUndecided;
  std::size_t size_ = 2;  // bytes of a unit
  std::string held_;      // the beginning until the form is known, later the first bytes of a unit
  std::string out_;
  std::uint32_t high_ = 0;  // a surrogate whose other half has not come; 0: none
};

}  // namespace flowtap::cli
