// Takes a scheduler's lines out of what tools put around them: journald, kubectl, stern, docker compose, grep, terminals, and
// exports as JSON or CSV. It knows none of them by name; a record's own grammar tells where it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "around/csv_rows.hpp"
#include "around/value_margin.hpp"
#include "byte_arrays.hpp"
#include "doubted_prefixes.hpp"
#include "enclosed_record.hpp"
#include "objects/log_names.hpp"
#include "objects/object_sources.hpp"
#include "plain_text.hpp"
#include "tools/flowtap/saved/kube_events.hpp"

namespace flowtap::cli {

/// What the scheduler wrote in one line, or a text with several of its lines. Does not own its texts.
struct SavedLine {
  enum class Kind : std::uint8_t {
    kRecord,   ///< a record begins
    kGoesOn,   ///< it belongs to the record before
    kLoose,    ///< nothing tells whether it belongs to the record before
    kStrange,  ///< it belongs to none
    kEvent,    ///< an object of the API server says what a scheduler has decided
    kAround    ///< it belongs to the form in which the records are given, as a bracket or another field does
  };
  Kind kind = Kind::kRecord;
  std::string_view
      source;  ///< tells logs in one file apart, such as those of two pods; empty: nothing stands around the line
  std::string_view text;             ///< without the last newline
  bool full = true;                  ///< false: what follows of this source belongs to the same line
  std::uint64_t time = 0;            ///< ns since 1970; 0: not known
  const KubeEvent* event = nullptr;  ///< of kEvent
};

/// Whether the scheduler may have written it.
[[nodiscard]] constexpr bool is_schedulers(SavedLine::Kind kind) {
  return kind == SavedLine::Kind::kRecord || kind == SavedLine::Kind::kGoesOn ||
         kind == SavedLine::Kind::kLoose;
}

/// Whether a line may be the next one of a value of several lines: klog indents them by a tab, and ends them with " >".
[[nodiscard]] bool begins_like_a_block(std::string_view text);

/// It has many members, since what a line means depends on the lines before it.
class Unwrapper {
 public:
  using Take = std::function<void(const SavedLine&)>;

  /// `scouts`: what it finds is noted in `doubted` and believed, and in `names` and `rows`, so that the lines can be read again by
  /// what they have shown.
  Unwrapper(DoubtedPrefixes& doubted, LogNames& names, CsvRows& rows, bool scouts = false)
      : doubted_(doubted), names_(names), rows_(rows), scouts_(scouts) {
    rows_.begin_again();
  }

  /// The line is a piece of a longer one, in which it stands at `at`, and the members around its records may be in other pieces.
  struct PieceOf {
    const ObjectSources* whole = nullptr;
    std::size_t at = 0;
  };

  /// Gives `take` what is in the line. `full`: its newline has come. `time` is when it was written, in ns since 1970, if a runtime
  /// has said it; else 0.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
    add(line, full, time, take, {});
  }
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take, PieceOf piece);
  /// A field of CSV has begun that goes on in the next line.
  [[nodiscard]] bool is_in_field() const { return in_field_; }
  /// Of the last line, if it is a later part of one that was too long. The caller takes it.
  [[nodiscard]] std::unique_ptr<ObjectSources> sources_of_part();

 private:
  /// A line from outside, and how far it has been looked at.
  struct Line {
    std::string_view text;
    bool full;
    std::uint64_t time;
    PieceOf piece = {};
    std::size_t from = 0;
    std::string given = {};  // its last record, if that stands between quotes
  };

  /// What stands around a record, and whether it has ended.
  struct Around {
    bool plain = true;      // nothing, or there was no record yet
    bool in_block = false;  // a value of several lines has begun and not ended
    bool opens = false;     // the last line is the first one of that
    bool spaced = false;    // a blank line stands behind each of its lines
    bool in_part = false;   // a line was divided
    ValueMargin margin;     // of that value
    std::string source;
    std::string named;   // what a collector calls its log, which then is the source
    std::string before;  // in its line: all of it, or in JSON and CSV the last member's name
    Enclosed enclosed;
    std::uint64_t looked_in = 0;  // the number of the line in which it was looked for
    std::size_t looked_to = 0;    // up to there it does not go on
    std::size_t next = 0;         // where it goes on there, between quotes; 0: not known
  };

  [[nodiscard]] std::optional<Enclosed> find(std::string_view text, std::size_t from = 0) const;
  [[nodiscard]] std::string_view without_ids(std::string_view text);
  void note_row(std::string_view text, const std::optional<Enclosed>& found);
  [[nodiscard]] bool is_as_raw(std::string_view text, Enclosed found) const;
  [[nodiscard]] bool is_quotation(std::string_view text, const Enclosed& found) const;
  void give_record(Line& line, const Enclosed& found, const Take& take);
  static void give_each(SavedLine line, std::optional<std::string_view> before, const Take& take);
  [[nodiscard]] bool give_continuation(Line& line, std::size_t until, const Take& take);
  [[nodiscard]] std::optional<std::size_t> continuation(const Line& line, std::size_t until);
  void look_around(std::string_view text);
  [[nodiscard]] std::string_view name_at(const Line& line, std::size_t place);
  [[nodiscard]] bool is_of(const Around& one, std::string_view named) const;
  [[nodiscard]] std::size_t next_place(Around& one, const Line& line, std::size_t until);
  [[nodiscard]] std::uint64_t time_of(std::string_view text, std::string_view before,
                                      std::string_view behind);
  void note_line(std::string_view text, bool has_record);
  void give_field(const Line& line, const Take& take);
  [[nodiscard]] bool give_merged(const Line& line, const Take& take);
  [[nodiscard]] static bool is_divided(const Line& line, const Enclosed& enclosed, const Opened& opened);
  [[nodiscard]] bool is_of_block(std::string_view text) const;
  [[nodiscard]] static bool stays_open(const Around& one);
  void leave(std::string_view source);
  void resume(std::string_view text);
  void resume_in_quotes(const Line& line, std::size_t until);
  void go_on_with(const std::deque<Around>::iterator& one);
  [[nodiscard]] bool is_around(std::string_view text) const;
  [[nodiscard]] bool is_between_lines(std::string_view text);
  /// Of a line without a record.
  [[nodiscard]] SavedLine::Kind kind_of(std::string_view text);
  [[nodiscard]] bool give_text(const Line& line, const Enclosed& found, const Take& take);
  void note(std::string_view text);
  void note_record(std::string_view text);

  DoubtedPrefixes& doubted_;
  LogNames& names_;
  CsvRows& rows_;
  bool scouts_;
  Around last_;                  // of the last record
  std::deque<Around> open_;      // of other sources' records, whose values of several lines have not ended
  bool in_field_ = false;        // a field of CSV has begun and not ended
  bool is_object_ = false;       // the last record's line was an object of JSON
  std::string line_before_;      // the end of the line of the last record, and what has a time behind it
  std::uint64_t last_time_ = 0;  // the last one that stood around a record
  std::unique_ptr<Unwrapper> inner_;      // of a text with several lines that have something before them
  std::string inner_named_;               // what a collector calls the log of that text
  std::optional<ObjectSources> sources_;  // of the line, if they were asked for
  std::optional<ObjectSources> before_;   // of the line before, if that has not ended
  std::uint64_t number_ = 0;              // of the line
  bool is_part_ = false;                  // it is one of a line that was divided
  std::string clean_;
  std::string row_;
  std::string without_id_;
  PlainText characters_;
  ByteArrays arrays_;
  std::string buffer_;
};

}  // namespace flowtap::cli
