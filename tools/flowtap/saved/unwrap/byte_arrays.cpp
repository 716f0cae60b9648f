#include "byte_arrays.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "around/prefix.hpp"
#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "enclosed_record.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kFewest = 22;  // bytes of a record's header

/// An array of bytes in a line, and where the line goes on behind it.
struct ByteArray {
  std::string bytes;
  std::size_t end = 0;
};

// "[73,49, 49]" at `at`. Nothing: it has something else than bytes.
std::optional<ByteArray> bytes_at(std::string_view line, std::size_t at) {
  ByteArray out;
  while (true) {
    at = line.find_first_not_of(' ', at + 1);
    if (at == std::string_view::npos || !is_digit(line[at])) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    if (error != std::errc{} || value > 0xff) return std::nullopt;
    out.bytes += static_cast<char>(value);
    at = line.find_first_not_of(' ', static_cast<std::size_t>(end - line.data()));
    if (at == std::string_view::npos || (line[at] != ',' && line[at] != ']')) return std::nullopt;
    if (line[at] == ']') break;
  }
  out.end = at + 1;
  return out;
}

void put_string(std::string_view bytes, std::string& out) {
  out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20)
      append_hex(out += "\\u00", byte);
    else
      out += c;
  }
  out += '"';
}

}  // namespace

bool ByteArrays::is_text(std::string_view bytes) const {
  std::string clean;
  if (bytes.size() >= kFewest && find_record(without_colours(bytes, clean))) return true;
  const auto is_printed = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || std::string_view("\t\n\r\x1b").contains(c);
  };
  return any_ && std::ranges::all_of(bytes, is_printed);
}

std::string_view ByteArrays::undo(std::string_view line) {
  bool found = false;
  std::size_t done = 0;
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    if (at + 1 == line.size() || !is_digit(line[at + 1])) continue;
    const auto array = bytes_at(line, at);
    if (!array || !is_text(array->bytes)) continue;
    if (!found) buffer_.clear();
    found = any_ = true;
    buffer_.append(line.substr(done, at - done));
    std::string clean;
    put_string(without_colours(array->bytes, clean), buffer_);
    done = array->end;
    at = done - 1;
  }
  return found ? std::string_view(buffer_.append(line.substr(done))) : line;
}

}  // namespace flowtap::cli
