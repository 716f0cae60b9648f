// A record put together again from what was found in it, and described in words for golden files.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/printable.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow::test {

/// The pair as klog writes it.
inline std::string rendered_pair(KlogForm form, const KlogPair& pair) {
  const std::string value(pair.value);
  if (form == KlogForm::kJson) {
    const bool begins = pair.kind == KlogPair::Kind::kString || pair.kind == KlogPair::Kind::kCut;
    return '"' + std::string(pair.key) + "\":" + (begins ? "\"" : "") + value +
           (pair.kind == KlogPair::Kind::kString ? "\"" : "");
  }
  const std::string key = ' ' + std::string(pair.key) + '=';
  switch (pair.kind) {
    case KlogPair::Kind::kQuoted:
      return key + '"' + value + '"';
    case KlogPair::Kind::kBlock:
      return key + "<\n" + value + " >";
    case KlogPair::Kind::kCut:
      return key + '"' + value;
    default:
      return key + value;
  }
}

/// All that is behind the header: the message, each pair, and the rest.
inline std::string rendered_body(const KlogRecord& record) {
  std::string out(record.form == KlogForm::kJson ? "{" : "");
  if (record.form == KlogForm::kText) out = record.body.substr(0, record.pairs);
  KlogPairs pairs(record.form, record.body, record.form == KlogForm::kJson ? 0 : record.pairs);
  std::string_view comma;
  for (KlogPair pair; record.structured && pairs.next(pair);) {
    out += std::string(comma) + rendered_pair(record.form, pair);
    if (record.form == KlogForm::kJson) comma = ",";
  }
  const std::size_t at = record.structured ? pairs.at() : record.pairs;
  return out.append(record.body.substr(at));
}

/// klog's own header: the process id is right-aligned to seven columns.
inline std::string rendered(const KlogRecord& record) {
  if (record.form == KlogForm::kJson) return rendered_body(record);
  std::string out(1, static_cast<char>(*record.severity));
  out.append(record.stamp).append(1, ' ');
  if (!record.source.empty()) {
    out.append(7 - std::min<std::size_t>(record.thread.size(), 7), ' ').append(record.thread).append(1, ' ');
    out.append(record.source).append("] ");
  }
  return out + rendered_body(record);
}

inline std::string_view name_of(KlogPair::Kind kind) {
  switch (kind) {
    case KlogPair::Kind::kQuoted:
      return "quoted";
    case KlogPair::Kind::kBlock:
      return "block";
    case KlogPair::Kind::kJson:
      return "json";
    case KlogPair::Kind::kString:
      return "string";
    case KlogPair::Kind::kUnquoted:
      return "unquoted";
    case KlogPair::Kind::kCut:
      return "cut";
  }
  return "";
}

/// One line for the record, one for each pair ("KEY | KIND | VALUE as the program had it"), and one for the rest behind them.
inline std::string described(std::string_view text) {
  const auto record = parse_klog_record(text);
  if (!record) return "no record | " + printable(text) + '\n';
  const auto kind = record->form == KlogForm::kJson ? KlogPair::Kind::kString : KlogPair::Kind::kQuoted;
  const std::string message = record->structured
                                  ? klog_value({.key = {}, .kind = kind, .value = record->message})
                                  : std::string(record->message);
  std::string out =
      record->form == KlogForm::kJson ? "json" : std::string("text ") + static_cast<char>(*record->severity);
  for (const std::string_view part : {record->stamp, record->thread, record->source, record->logger})
    out.append(" | ").append(part);
  out += (record->structured ? " | message | " : " | free text | ") + printable(message) + '\n';
  if (!record->structured && record->body.size() > record->message.size())
    return out + "  rest | " + printable(record->body.substr(record->message.size())) + '\n';
  if (!record->structured) return out;
  KlogPairs pairs(*record);
  for (KlogPair pair; pairs.next(pair);)
    out.append("  ").append(printable(pair.key)).append(" | ").append(name_of(pair.kind)).append(" | ") +=
        printable(klog_value(pair)) + '\n';
  if (pairs.at() < record->body.size())
    out += "  rest | " + printable(record->body.substr(pairs.at())) + '\n';
  return out;
}

}  // namespace flowtap::flow::test
