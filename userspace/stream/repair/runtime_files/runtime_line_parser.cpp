#include "stream/repair/history/history_parser.hpp"

#include "stream/lines/cri_line.hpp"
#include "stream/repair/history/k8s_file_line.hpp"

namespace flowtap::flow {

std::optional<HistoryLine> HistoryParser::parse(std::string_view line) {
  if (format_ == HistoryFormat::kJsonFile) return json_.parse(line);
  if (format_ == HistoryFormat::kK8sFile) return parse_k8s_file_line(line);
  const auto cri = parse_cri_line(line);
  if (!cri) return std::nullopt;
  return HistoryLine{cri->time, output_name(cri->output), cri->full, cri->text};
}

}  // namespace flowtap::flow
