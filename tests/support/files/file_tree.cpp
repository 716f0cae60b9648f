#include "tests/support/files/file_tree.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace flowtap::test {

FileTree::FileTree() : root_((std::filesystem::temp_directory_path() / "flowtap-tree-XXXXXX").string()) {
  if (::mkdtemp(root_.data()) == nullptr) throw std::runtime_error("cannot make " + root_);
}

FileTree::~FileTree() {
  std::error_code ec;
  std::filesystem::remove_all(root_, ec);
}

FileTree& FileTree::file(const std::string& path, std::string_view text) {
  const std::filesystem::path full = std::filesystem::path(root_) / path;
  std::filesystem::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary) << text;
  return *this;
}

}  // namespace flowtap::test
