#include "tests/support/files/failing_file_system.hpp"

#include <linux/fuse.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

namespace flowtap::test {
namespace {

constexpr std::size_t kLargestWrite = 65'536;
constexpr std::size_t kLargestRequest = kLargestWrite + 4096;

template <typename T>
void add(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

fuse_attr attributes(std::uint64_t node, bool is_directory) {
  fuse_attr attr{};
  attr.ino = node;
  attr.mode = is_directory ? S_IFDIR | 0755U : S_IFREG | 0640U;
  attr.nlink = is_directory ? 2 : 1;
  return attr;
}

bool has_answer(std::uint32_t opcode) {
  return opcode != FUSE_FORGET && opcode != FUSE_BATCH_FORGET && opcode != FUSE_INTERRUPT;
}

}  // namespace

FailingFileSystem::FailingFileSystem(const std::string& directory)
    : mount_(directory), server_([this](const std::stop_token& stop) { serve(stop); }) {}

void FailingFileSystem::serve(const std::stop_token& stop) {
  std::vector<char> request(kLargestRequest);
  while (!stop.stop_requested()) {
    pollfd readable{.fd = mount_.server().get(), .events = POLLIN, .revents = 0};
    constexpr int kLookForStop = 50;
    if (::poll(&readable, 1, kLookForStop) != 1) continue;
    const ssize_t n = ::read(readable.fd, request.data(), request.size());
    if (n < 0 && errno == ENODEV) return;                            // it is not mounted any more
    if (n < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;  // the caller has gone
    const auto& head = *reinterpret_cast<const fuse_in_header*>(request.data());
    std::string body;
    const int error = answer(head.opcode, head.nodeid, request.data() + sizeof(head), body);
    if (!has_answer(head.opcode)) continue;
    std::string whole;
    const auto size = static_cast<std::uint32_t>(sizeof(fuse_out_header) + body.size());
    add(whole, fuse_out_header{.len = size, .error = error, .unique = head.unique});
    whole += body;
    static_cast<void>(!::write(readable.fd, whole.data(), whole.size()));
  }
}

int FailingFileSystem::answer(std::uint32_t request, Node of, const char* argument, std::string& answer) {
  switch (request) {
    case FUSE_INIT: {
      fuse_init_out init{};
      init.major = FUSE_KERNEL_VERSION;
      init.minor = FUSE_KERNEL_MINOR_VERSION;
      init.max_write = kLargestWrite;
      add(answer, init);
      return 0;
    }
    case FUSE_GETATTR:
      tell_attributes(of, answer);
      return 0;
    case FUSE_LOOKUP: {
      const auto at = names_.find({of, argument});
      if (at == names_.end()) return -ENOENT;
      tell_entry(at->second, answer);
      return 0;
    }
    case FUSE_MKDIR:
      tell_entry(make(of, argument + sizeof(fuse_mkdir_in), true), answer);
      return 0;
    case FUSE_CREATE:
      tell_entry(make(of, argument + sizeof(fuse_create_in), false), answer);
      add(answer, fuse_open_out{});
      return 0;
    case FUSE_UNLINK:
      names_.erase({of, argument});
      return 0;
    case FUSE_OPEN:
      add(answer, fuse_open_out{});
      return 0;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
      return 0;
    default:  // FUSE_WRITE, and all other requests
      return -EIO;
  }
}

void FailingFileSystem::tell_entry(Node node, std::string& answer) const {
  fuse_entry_out entry{};
  entry.nodeid = node;
  entry.attr = attributes(node, directories_.at(node));
  add(answer, entry);
}

void FailingFileSystem::tell_attributes(Node node, std::string& answer) const {
  fuse_attr_out out{};
  out.attr = attributes(node, directories_.at(node));
  add(answer, out);
}

FailingFileSystem::Node FailingFileSystem::make(Node parent, const char* name, bool is_directory) {
  const Node node = directories_.size() + 1;
  names_[{parent, name}] = node;
  directories_[node] = is_directory;
  return node;
}

}  // namespace flowtap::test
