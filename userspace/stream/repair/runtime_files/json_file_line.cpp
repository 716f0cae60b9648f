#include "stream/repair/runtime_files/json_file_line.hpp"

#include <array>
#include <boost/json.hpp>
#include <chrono>

#include "base/rfc3339.hpp"

namespace flowtap::flow {
namespace {

namespace json = boost::json;

// Docker nests only once, for attrs.
constexpr std::size_t kDepth = 8;
// Most lines are read without the heap.
constexpr std::size_t kScratch = 8192;

std::optional<std::string_view> text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains({name.data(), name.size()});
  const json::string* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return std::nullopt;
  return std::string_view(text->data(), text->size());
}

}  // namespace

std::optional<RuntimeLine> JsonFileLine::parse(std::string_view line) {
  // A line that is not an object is known without reading it.
  if (!line.starts_with('{')) return std::nullopt;
  std::array<unsigned char, kScratch> scratch;
  json::monotonic_resource memory(scratch.data(), scratch.size());
  json::parse_options options;
  options.max_depth = kDepth;
  json::error_code error;
  const json::value value = json::parse({line.data(), line.size()}, error, &memory, options);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  const auto text = text_of(*object, "log");
  const auto time = parse_rfc3339(text_of(*object, "time").value_or(""));
  RuntimeLine out;
  out.output = output_name(text_of(*object, "stream").value_or(""));
  if (!text || !time || out.output.empty()) return std::nullopt;
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time->time_since_epoch()).count();
  if (ns < 0) return std::nullopt;
  out.time = static_cast<std::uint64_t>(ns);
  out.full = text->ends_with('\n');
  text_ = text->substr(0, text->size() - (out.full ? 1 : 0));
  out.text = text_;
  return out;
}

}  // namespace flowtap::flow
