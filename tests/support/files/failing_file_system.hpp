// A file system whose device fails: files can be made there, and every write to one is EIO.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/files/hung_file_system.hpp"

namespace flowtap::test {

/// Above a directory until it goes.
class FailingFileSystem {
 public:
  explicit FailingFileSystem(const std::string& directory);
  FailingFileSystem(const FailingFileSystem&) = delete;
  FailingFileSystem& operator=(const FailingFileSystem&) = delete;

  [[nodiscard]] bool mounted() const { return mount_.mounted(); }

 private:
  using Node = std::uint64_t;

  void serve(const std::stop_token& stop);
  /// The error that the kernel is told, or 0, and what it is told else.
  int answer(std::uint32_t request, Node of, const char* argument, std::string& answer);
  void tell_entry(Node node, std::string& answer) const;
  void tell_attributes(Node node, std::string& answer) const;
  Node make(Node parent, const char* name, bool is_directory);

  // The server's only.
  std::map<std::pair<Node, std::string>, Node> names_;
  std::map<Node, bool> directories_{{1, true}};  // whether a node is one

  HungFileSystem mount_;  // but for the server
  std::jthread server_;
};

}  // namespace flowtap::test
