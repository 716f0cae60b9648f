#include "count/scx_values.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>

#include "base/ascii.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

constexpr std::size_t kJsonDepth = 16;  // scx_rusty's answer has 5
constexpr int kDeepest = 4;             // nested structures; scx_rusty has 3
constexpr std::size_t kMostStructures = 64;
constexpr std::size_t kMostFields = 512;   // of one structure; scx_layered has 45
constexpr std::size_t kMostValues = 4096;  // of one answer
constexpr std::size_t kMostLooks =
    65536;  // for a field in an answer; a list of empty structures has no values
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestMember = 128;

std::string_view view(json::string_view text) {
  return {text.data(), text.size()};
}

const json::value* find(const json::object& object, std::string_view name) {
  return object.if_contains({name.data(), name.size()});
}

const json::object* object_of(const json::object& object, std::string_view name) {
  const json::value* value = find(object, name);
  return value != nullptr ? value->if_object() : nullptr;
}

// A field's name becomes a part of a label that people write into queries; Rust's names are no more than this.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

bool is_label(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

bool skipped(const json::object& meta) {
  const json::object* user = object_of(meta, "user");
  return user != nullptr && find(*user, "_om_skip") != nullptr;
}

std::optional<double> number(const json::value& value) {
  double got = 0;
  if (value.is_uint64())
    got = static_cast<double>(value.get_uint64());
  else if (value.is_int64())
    got = static_cast<double>(value.get_int64());
  else if (value.is_double())
    got = value.get_double();
  else
    return std::nullopt;
  return std::isfinite(got) ? std::optional(got) : std::nullopt;
}

std::string below(const std::string& path, char between, std::string_view name) {
  std::string longer = path;
  if (!longer.empty()) longer += between;
  longer += name;
  return longer;
}

// "u64", "i64", "float" or {"struct": NAME}.
bool read_kind(const json::value& kind, std::string& structure) {
  if (const auto* text = kind.if_string()) return *text == "u64" || *text == "i64" || *text == "float";
  const auto* object = kind.if_object();
  const json::value* name = object != nullptr ? find(*object, "struct") : nullptr;
  if (name == nullptr || !name->is_string()) return false;
  structure = view(name->get_string());
  return !structure.empty();
}

}  // namespace

Result<json::value> parse_scx_answer(std::string_view line) {
  json::parse_options options;
  options.max_depth = kJsonDepth;
  json::error_code error;
  const json::value value = json::parse({line.data(), line.size()}, error, {}, options);
  if (error) return fail("the answer is not JSON that can be read: " + error.message());
  const auto* envelope = value.if_object();
  const json::value* code = envelope != nullptr ? find(*envelope, "errno") : nullptr;
  const json::object* args = envelope != nullptr ? object_of(*envelope, "args") : nullptr;
  const json::value* body = args != nullptr ? find(*args, "resp") : nullptr;
  if (code == nullptr || !code->is_int64() || body == nullptr)
    return fail("the answer is not what scx_stats would send");
  if (code->get_int64() == 0) return *body;
  std::string why = body->is_string() ? std::string(view(body->get_string())) : std::string();
  why = why.substr(0, std::min(why.find('\n'), kLongestMember));
  return std::unexpected(
      Error{"the scheduler refuses its statistics" + (why.empty() ? "" : ": " + why), {}, EINVAL});
}

bool ScxSchema::read_field(const json::object& meta, Field& field) {
  if (skipped(meta)) return false;
  if (const auto* one = find(meta, "datum")) {
    field.shape = Field::Shape::kOne;
    return read_kind(*one, field.structure);
  }
  if (const auto* list = find(meta, "array")) {
    field.shape = Field::Shape::kList;
    return read_kind(*list, field.structure);
  }
  const auto* table = object_of(meta, "dict");
  const auto* of = table != nullptr ? find(*table, "datum") : nullptr;
  field.shape = Field::Shape::kTable;
  return of != nullptr && read_kind(*of, field.structure);
}

Result<ScxSchema> ScxSchema::parse(const json::value& meta) {
  const auto* structures = meta.if_object();
  if (structures == nullptr) return fail("the metadata is not a JSON object");
  ScxSchema schema;
  for (const auto& [name, described] : *structures) {
    const auto* structure = described.if_object();
    const auto* fields = structure != nullptr ? object_of(*structure, "fields") : nullptr;
    if (fields == nullptr || schema.structures_.size() == kMostStructures) continue;
    Structure& known = schema.structures_[std::string(view(name))];
    for (const auto& [field_name, field_meta] : *fields) {
      const auto* object = field_meta.if_object();
      Field field{};
      if (object != nullptr && is_name(view(field_name)) && known.size() < kMostFields &&
          read_field(*object, field))
        known.emplace(view(field_name), std::move(field));
    }
    if (find(*structure, "top") != nullptr) schema.tops_.emplace_back(view(name));
  }
  if (schema.tops_.empty()) return fail("the metadata does not say where an answer begins");
  return schema;
}

// Walks through an answer along the metadata.
class ScxSchema::Walk {
 public:
  explicit Walk(const ScxSchema& schema) : schema_(schema) {}

  void structure(const std::string& name, const json::value& value, const std::string& path,
                 const std::string& member, int depth) {
    const auto found = schema_.structures_.find(name);
    const auto* object = value.if_object();
    if (found == schema_.structures_.end() || object == nullptr) return;
    if (depth == kDeepest || looks_ + found->second.size() > kMostLooks) {
      ++out_.left_out;
      return;
    }
    looks_ += found->second.size();
    for (const auto& [field_name, field] : found->second)
      if (const json::value* got = find(*object, field_name))
        shaped(field, *got, below(path, '.', field_name), member, depth);
  }
  [[nodiscard]] ScxValues take() { return std::move(out_); }

 private:
  void shaped(const Field& field, const json::value& value, const std::string& path,
              const std::string& member, int depth) {
    if (field.shape == Field::Shape::kOne) return one(field, value, path, member, depth);
    const auto of_member = [&](std::string_view key, const json::value& inner) {
      const std::string longer = below(member, '/', key);
      if (longer.empty() || longer.size() > kLongestMember || !is_label(longer))
        ++out_.left_out;
      else
        one(field, inner, path, longer, depth);
    };
    if (const auto* list = value.if_array(); list != nullptr && field.shape == Field::Shape::kList)
      for (std::size_t i = 0; i < list->size(); ++i) of_member(std::to_string(i), (*list)[i]);
    if (const auto* table = value.if_object(); table != nullptr && field.shape == Field::Shape::kTable)
      for (const auto& [key, inner] : *table) of_member(view(key), inner);
  }

  void one(const Field& field, const json::value& value, const std::string& path, const std::string& member,
           int depth) {
    if (!field.structure.empty()) return structure(field.structure, value, path, member, depth + 1);
    const auto got = number(value);
    if (!got) return;
    if (out_.values.size() == kMostValues)
      ++out_.left_out;
    else
      out_.values.push_back({path, member, *got});
  }

  const ScxSchema& schema_;
  ScxValues out_;
  std::size_t looks_ = 0;
};

Result<ScxValues> ScxSchema::values(const json::value& answer) const {
  const auto* object = answer.if_object();
  if (object == nullptr) return fail("the statistics are not a JSON object");
  // A scheduler with more than one kind of answer marks the beginning of each; this one is of the kind that it fits.
  const std::string* best = nullptr;
  std::size_t most = 0;
  for (const std::string& top : tops_) {
    const auto fits = static_cast<std::size_t>(std::ranges::count_if(
        structures_.at(top), [object](const auto& field) { return find(*object, field.first) != nullptr; }));
    if (fits <= most) continue;
    most = fits;
    best = &top;
  }
  if (best == nullptr) return fail("the statistics have none of the fields that their metadata names");
  Walk walk(*this);
  walk.structure(*best, answer, {}, {}, 0);
  return walk.take();
}

}  // namespace flowtap
