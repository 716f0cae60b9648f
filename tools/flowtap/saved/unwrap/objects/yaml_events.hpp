// Finds the events among the objects that kubectl prints in YAML, one by one or in a list, and the entries of
// logs that gcloud and aws print. Each is given as a line of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class YamlEvents {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` an event or an entry as one line, and all other lines as they are.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give(take); }

 private:
  [[nodiscard]] bool ends_object(std::string_view line) const;
  void give(const Take& take);

  std::vector<std::string> held_;  // of an object that has begun
  std::size_t column_ = 0;         // of its keys
  bool quoted_ = false;            // each line is, as in a mail
  std::size_t bytes_ = 0;
  bool full_ = true;  // the last line
  std::uint64_t time_ = 0;
};

}  // namespace flowtap::cli
