// Which log each record of a line is from, by what collectors write beside and around the record in JSON. A line may have the records
// of several logs, as an answer of Loki's or Elasticsearch's has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collector_name.hpp"

namespace flowtap::cli {

/// The objects of one line that have a name. A line that breaks off, or is no JSON, is read as far as it goes.
class ObjectSources {
 public:
  ObjectSources() = default;
  /// `before`: the line is the next part of one that was too long, and goes on in the objects that are open there.
  explicit ObjectSources(std::string_view line, const ObjectSources* before = nullptr);

  /// Of what stands at this place; empty: nothing is known. The outermost name counts, since a collector writes around what others
  /// have written.
  [[nodiscard]] std::string_view at(std::size_t place) const;
  [[nodiscard]] bool empty() const { return named_.empty(); }
  /// Whether objects or lists have begun and not ended.
  [[nodiscard]] bool is_open() const { return !open_.empty(); }

 private:
  friend class ObjectSourcesReader;

  struct Named {
    std::size_t begin = 0;
    std::size_t end = std::string_view::npos;
    std::string name;
  };

  /// An object or a list that has not ended.
  struct Open {
    std::size_t begin = 0;
    bool is_list = false;
    std::string key = {};  // under which it stands; empty: in a list
    CollectorName name = {};
    // {"key":"k8s.pod.name","value":{"stringValue":"x"}} and {"field":"@logStream","value":"x"} are entries of a list.
    std::string pair_key = {};
    std::string pair_value = {};
  };

  std::vector<Named> named_;  // one behind the other
  std::vector<Open> open_;    // at the line's end
};

}  // namespace flowtap::cli
