#include "stream/repair/runtime_files/runtime_line_parser.hpp"

#include "stream/lines/cri_line.hpp"

namespace flowtap::flow {

std::optional<RuntimeLine> parse_k8s_file_line(std::string_view line) {
  const auto cri = parse_cri_line(line);
  if (!cri) return std::nullopt;
  const std::string_view head = line.substr(0, line.size() - cri->text.size());
  if (!head.ends_with(" F ") && !head.ends_with(" P ")) return std::nullopt;
  return RuntimeLine{cri->time, output_name(cri->output), cri->full, cri->text};
}

std::optional<RuntimeLine> RuntimeLineParser::parse(std::string_view line) {
  if (format_ == RuntimeFormat::kJsonFile) return json_.parse(line);
  if (format_ == RuntimeFormat::kK8sFile) return parse_k8s_file_line(line);
  const auto cri = parse_cri_line(line);
  if (!cri) return std::nullopt;
  return RuntimeLine{cri->time, output_name(cri->output), cri->full, cri->text};
}

}  // namespace flowtap::flow
