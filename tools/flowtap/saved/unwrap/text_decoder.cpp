#include "text_decoder.hpp"

#include <utility>

#include "base/utf8.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kLittleMark = "\xff\xfe";
constexpr std::string_view kBigMark = "\xfe\xff";
constexpr std::size_t kEnough = 4;  // bytes that tell the form

}  // namespace

std::string_view TextDecoder::decode(std::string_view bytes) {
  if (form_ == Form::kAsIs) return bytes;
  if (form_ != Form::kUndecided) return decoded(bytes);
  held_ += bytes;
  if (held_.size() < kEnough) return {};
  decide();
  out_ = std::exchange(held_, {});
  return form_ == Form::kAsIs ? std::string_view(out_) : decoded(std::exchange(out_, {}));
}

std::string_view TextDecoder::finish() {
  out_ = std::exchange(held_, {});
  form_ = Form::kAsIs;
  return out_;
}

// Without a mark, letters of ASCII tell it: every other byte is 0.
void TextDecoder::decide() {
  const auto zero = [this](std::size_t at) { return held_[at] == '\0'; };
  std::size_t mark = kLittleMark.size();
  if (held_.starts_with(kLittleMark)) {
    form_ = Form::kLittleEndian;
  } else if (held_.starts_with(kBigMark)) {
    form_ = Form::kBigEndian;
  } else if (held_.starts_with(kUtf8Mark)) {
    form_ = Form::kAsIs;
    mark = kUtf8Mark.size();
  } else {
    mark = 0;
    form_ = !zero(0) && zero(1) && !zero(2) && zero(3)   ? Form::kLittleEndian
            : zero(0) && !zero(1) && zero(2) && !zero(3) ? Form::kBigEndian
                                                         : Form::kAsIs;
  }
  held_.erase(0, mark);
}

std::string_view TextDecoder::decoded(std::string_view bytes) {
  out_.clear();
  const auto unit = [this](char first, char second) {
    const auto a = static_cast<unsigned char>(first);
    const auto b = static_cast<unsigned char>(second);
    return form_ == Form::kLittleEndian ? std::uint32_t{a} | std::uint32_t{b} << 8U
                                        : std::uint32_t{b} | std::uint32_t{a} << 8U;
  };
  if (!held_.empty() && !bytes.empty()) {
    add_unit(unit(held_.front(), bytes.front()));
    held_.clear();
    bytes.remove_prefix(1);
  }
  for (; bytes.size() >= 2; bytes.remove_prefix(2)) add_unit(unit(bytes[0], bytes[1]));
  held_ += bytes;
  return out_;
}

void TextDecoder::add_unit(std::uint32_t unit) {
  const std::uint32_t high = std::exchange(high_, 0);
  if (high != 0 && is_low_surrogate(unit)) return append_utf8(out_, joined_surrogates(high, unit));
  if (high != 0) append_utf8(out_, high);
  if (is_high_surrogate(unit))
    high_ = unit;
  else
    append_utf8(out_, unit);
}

}  // namespace flowtap::cli
