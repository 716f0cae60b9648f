#include "text_decoder.hpp"

#include <utility>

#include "base/utf8.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kLittleMark = "\xff\xfe";
constexpr std::string_view kBigMark = "\xfe\xff";
constexpr std::string_view kLittle32Mark("\xff\xfe\0\0", 4);
constexpr std::string_view kBig32Mark("\0\0\xfe\xff", 4);
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

// Without a mark, letters of ASCII tell it: every other byte is 0, or three of four.
void TextDecoder::decide() {
  const auto zero = [this](std::size_t at) { return held_[at] == '\0'; };
  std::size_t mark = kLittleMark.size();
  if (held_.starts_with(kLittle32Mark) || (!zero(0) && zero(1) && zero(2) && zero(3))) {
    form_ = Form::kLittleEndian;
    size_ = 4;
    mark = held_.starts_with(kLittle32Mark) ? kLittle32Mark.size() : 0;
  } else if (held_.starts_with(kBig32Mark) || (zero(0) && zero(1) && zero(2) && !zero(3))) {
    form_ = Form::kBigEndian;
    size_ = 4;
    mark = held_.starts_with(kBig32Mark) ? kBig32Mark.size() : 0;
  } else if (held_.starts_with(kLittleMark)) {
    form_ = Form::kLittleEndian;
  } else if (held_.starts_with(kBigMark)) {
    form_ = Form::kBigEndian;
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
  // The first bytes of a unit may have come before.
  while (!held_.empty() && held_.size() < size_ && !bytes.empty()) {
    held_ += bytes.front();
    bytes.remove_prefix(1);
  }
  if (held_.size() == size_) add_unit(unit_at(std::exchange(held_, {})));
  for (; bytes.size() >= size_; bytes.remove_prefix(size_)) add_unit(unit_at(bytes.substr(0, size_)));
  held_ += bytes;
  return out_;
}

std::uint32_t TextDecoder::unit_at(std::string_view bytes) const {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[form_ == Form::kBigEndian ? i : bytes.size() - 1 - i];
    unit = unit << 8U | static_cast<unsigned char>(byte);
  }
  return unit;
}

void TextDecoder::add_unit(std::uint32_t unit) {
  constexpr std::uint32_t kLast = 0x10ffff;
  constexpr std::uint32_t kNone = 0xfffd;
  if (size_ == 4) return append_utf8(out_, unit > kLast ? kNone : unit);
  const std::uint32_t high = std::exchange(high_, 0);
  if (high != 0 && is_low_surrogate(unit)) return append_utf8(out_, joined_surrogates(high, unit));
  if (high != 0) append_utf8(out_, high);
  if (is_high_surrogate(unit))
    high_ = unit;
  else
    append_utf8(out_, unit);
}

}  // namespace flowtap::cli
