// Takes what a scheduler's record says out of it, by the tables (fact_table.hpp). Most records say nothing, and only their
// message is looked at.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/group_names.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "stream/lines/flow_key.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::diagnosis {

class FactParser {
 public:
  /// The schedulers must outlive it.
  explicit FactParser(const Schedulers& schedulers = Schedulers::built_in()) : schedulers_(&schedulers) {}

  /// The facts in the order of the table's rows. They are valid until the next call, and as long as the record's text. Whoever
  /// asks may put into them what it knows of the log: a fact is too large to be copied for that.
  /// `whole` is the record with its header, by which a gap in its middle is found.
  [[nodiscard]] std::span<Fact> parse(const flow::KlogRecord& record, std::string_view whole = {});

 private:
  void read_pairs(const flow::KlogRecord& record);
  [[nodiscard]] bool is_cut(const flow::KlogPair& pair) const;
  bool read_name(const flow::KlogRecord& record);
  [[nodiscard]] std::string group_of() const;
  void read_times(const flow::KlogRecord& record);
  bool read_trigger();
  bool read_preemptor();
  [[nodiscard]] const flow::KlogPair* pair_of(std::string_view key) const;
  [[nodiscard]] std::optional<std::string_view> pattern_of(const FactRow& row, std::string_view text);
  bool read_row(const FactRow& row, std::string_view text);
  bool read_fact(Fact& fact, const FactRow& row, std::string_view text);
  std::string_view value_of(std::string_view key, Field field);
  std::string_view marked(Field field, std::string_view text, bool cut);

  const Schedulers* schedulers_;
  flow::FlowKeys flow_keys_;
  std::vector<flow::KlogPair> pairs_;
  bool ends_in_block_ = false;  // the last pair is a block whose end is not there
  std::string_view begun_key_;  // behind the last pair, of one that was cut before its value
  std::string_view gap_;        // the sign where the record was shortened in its middle, if it was
  std::vector<Fact> facts_;
  std::array<std::string, kFields> unescaped_;
  std::string apart_;
  std::string pattern_;
  bool of_cluster_ = false;  // the room that is made is on no single node
  std::string group_;
  GroupNames groups_;
  Fact named_;  // what all facts of the record have in common: the pod
};

}  // namespace flowtap::diagnosis
