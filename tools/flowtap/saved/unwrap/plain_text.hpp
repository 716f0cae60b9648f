// Undoes what pages, chats and office programs make of a line's characters: spaces that do not break or tabs in the place of
// spaces, HTML's entities, typographic quotes. And CSV, of JSON in its fields.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

/// Whether a field of CSV is an object, all of whose quotes are doubled.
[[nodiscard]] bool has_object_in_field(std::string_view line);

class PlainText {
 public:
  /// The line as the scheduler wrote it, if only that makes a record of it or if the record before it was such a one. The view
  /// lives until the next call. `in_block`: it belongs to a value of several lines, whose spaces and tabs are its own.
  [[nodiscard]] std::string_view undo(std::string_view line, bool in_block);
  /// Whether the last line had such an object whose field goes on in the next one.
  [[nodiscard]] bool is_field_open() const { return field_open_; }

 private:
  [[nodiscard]] std::string_view without_windows_signs(std::string_view line);
  [[nodiscard]] std::string_view without_doubled_objects(std::string_view line);
  void undo_spaces(std::string_view& line, bool in_block);

  bool spaces_ = false;    // the last record had spaces that do not break
  bool entities_ = false;  // it had entities instead of quotes
  bool quotes_ = false;    // it had typographic quotes
  bool field_open_ = false;
  bool page_ = false;  // entities stand in the place of klog's own signs, perhaps not of its quotes
  std::string windows_;
  std::string undoubled_;
  std::string spaced_;
  std::string decoded_;
  std::string quoted_;
};

}  // namespace flowtap::cli
