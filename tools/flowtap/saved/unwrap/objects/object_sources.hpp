// Which log each record of a line is from, by what stands beside and around the record in JSON, or in what Python prints of it. A line
// may have the records of several logs, as an answer of Loki's or Elasticsearch's has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source_name.hpp"

namespace flowtap::cli {

/// The objects and lists of one line. A line that breaks off, or is no JSON, is read as far as it goes.
class ObjectSources {
 public:
  ObjectSources() = default;
  /// `before`: the line is the next part of one that was too long, and goes on in the objects that are open there.
  explicit ObjectSources(std::string_view line, const ObjectSources* before = nullptr);

  /// Of what stands at this place. Nearer members count more than those further outside.
  [[nodiscard]] SourceName at(std::size_t place) const;
  /// What the objects say that stand in no list.
  [[nodiscard]] SourceName whole() const;
  /// Whether objects or lists have begun and not ended.
  [[nodiscard]] bool is_open() const { return !open_.empty(); }

 private:
  friend class ObjectSourcesReader;
  static constexpr std::int32_t kNone = -1;

  /// An object or a list.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = std::string_view::npos;
    std::int32_t outer = kNone;  // the one in which it stands
    std::int32_t name = kNone;
  };

  /// One that has not ended.
  struct Open {
    std::size_t place = 0;  // among the spans
    bool is_list = false;
    std::string key = {};      // under which it stands; empty: in a list
    std::string holders = {};  // the keys of those around it, and its own
    SourceName name = {};
    SourceName inner = {};  // of a line that a collector has written before, in a string
    bool has_caller = false;
    bool has_message = false;
    std::string pair_key = {};  // {"key":"k8s.pod.name","value":"x"} is an entry of a list
    std::string pair_value = {};
  };

  std::vector<Span> spans_;  // in the order in which they begin
  std::vector<SourceName> names_;
  std::vector<Open> open_;  // at the line's end
};

}  // namespace flowtap::cli
