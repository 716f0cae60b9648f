#include "http/client/stream_client.hpp"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <charconv>
#include <deque>
#include <list>

#include "base/fd.hpp"
#include "base/printable.hpp"
#include "http/connection/handed_on.hpp"
#include "http/messages/message.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// The body of a refusal is one sentence.
constexpr std::size_t kMaxRefusal = std::size_t{64} * 1024;

// Beast reads as much at once as the buffer has room for, and at most 512 bytes if no size was set.
constexpr std::size_t kReadAtOnce = std::size_t{64} * 1024;

/// One request from connect to the end of its body.
class Following {
 public:
  /// `answered` is called when the head has come, and `ended` at the very end; at least one of them is called.
  Following(asio::io_context& io, const std::string& path, StreamRequest request,
            std::function<void()> answered, std::function<void()> ended)
      : stream_(io),
        path_(path),
        wanted_(std::move(request)),
        answered_(std::move(answered)),
        ended_(std::move(ended)) {
    buffer_.reserve(kReadAtOnce);
    parser_.body_limit(boost::none);
    parser_.get().body() = [this](std::string_view bytes) { return take(bytes); };
  }

  void start(std::chrono::milliseconds timeout) {
    request_ = {http::verb::get, wanted_.target, 11};
    request_.set(http::field::host, "localhost");
    stream_.expires_after(timeout);
    stream_.async_connect(asio::local::stream_protocol::endpoint(path_), [this](beast::error_code error) {
      if (error) return finish(error, "cannot connect to");
      http::async_write(stream_, request_, [this](beast::error_code failed, std::size_t) {
        // A server that turns us away answers before it has read everything; its answer can still be read.
        if (failed == asio::error::broken_pipe || failed == asio::error::connection_reset) failed = {};
        if (failed) return finish(failed, "cannot send to");
        read_head();
      });
    });
  }

  /// Asks the daemon to end the body; true if an end can be expected.
  void stop() {
    stopped_ = true;
    beast::error_code gone;
    if (status_ == 200)
      static_cast<void>(stream_.socket().shutdown(asio::socket_base::shutdown_send, gone));
    else
      stream_.close();
  }

  void cut() { stream_.close(); }

 private:
  void read_head() {
    http::async_read_header(stream_, buffer_, parser_, [this](beast::error_code error, std::size_t) {
      if (error) return finish(error, "no answer from");
      status_ = parser_.get().result_int();
      if (status_ == 200) stream_.expires_never();
      std::exchange(answered_, nullptr)();
      if (stopped_) stop();
      http::async_read(stream_, buffer_, parser_,
                       [this](beast::error_code failed, std::size_t) { finish(failed, "cut off by"); });
    });
  }

  bool take(std::string_view bytes) {
    if (status_ == 200) {
      unwanted_ = !wanted_.take(bytes);
      return !unwanted_;
    }
    refusal_.append(bytes.substr(0, kMaxRefusal - refusal_.size()));
    return true;
  }

  void finish(const beast::error_code& error, const char* what) {
    stream_.close();
    if (!error && !stopped_ && !unwanted_ && is_unfinished()) {
      wanted_.end(std::unexpected(Error{std::string(what) + " " + path_ + ": flowtapd ends", {}, 0}));
    } else if (!error || unwanted_ || (stopped_ && status_ <= 200)) {
      wanted_.end(StreamEnd{{status_, std::move(refusal_)}, error ? std::nullopt : missing_bytes()});
    } else {
      const bool late = error == beast::error::timeout;
      const bool ours = error.category() == asio::error::get_system_category();
      wanted_.end(std::unexpected(Error{
          std::string(what) + " " + path_ + ": " + printable(late ? "it took too long" : error.message()),
          {},
          ours ? error.value() : 0}));
    }
    if (answered_) answered_();
    ended_();
  }

  /// Whether the body ended because the daemon did.
  [[nodiscard]] bool is_unfinished() const {
    return parser_.get().find({kUnfinishedHeader.data(), kUnfinishedHeader.size()}) != parser_.get().end();
  }

  /// The trailer, which Beast adds after the header of the same name.
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() {
    const auto [first, last] = parser_.get().equal_range({kMissingHeader.data(), kMissingHeader.size()});
    std::optional<std::uint64_t> missing;
    for (auto field = first; field != last; ++field) {
      const auto text = field->value();
      std::uint64_t value = 0;
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      missing = error == std::errc() ? std::optional(value) : std::nullopt;
    }
    return missing;
  }

  beast::basic_stream<asio::local::stream_protocol> stream_;
  const std::string& path_;
  StreamRequest wanted_;
  std::function<void()> answered_;
  std::function<void()> ended_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response_parser<HandedOn> parser_;
  std::string refusal_;
  unsigned status_ = 0;
  bool stopped_ = false;
  bool unwanted_ = false;
};

// Requests that may be without an answer at a time: fewer than a daemon takes, so that others find room.
constexpr std::size_t kMostUnanswered = 16;

}  // namespace

/// All requests, and what stops them.
class StreamClient::Impl {
 public:
  Impl(std::string path, std::chrono::milliseconds timeout) : path_(std::move(path)), timeout_(timeout) {}

  void add(StreamRequest request) {
    waiting_.push_back(std::move(request));
    // Starts later, not from within this call: a stream that ends at once would end within the call that added it.
    asio::post(io_, [this] { start_some(); });
  }

  void end() {
    asio::post(io_, [this] {
      if (!stopped_) stop_all();
    });
  }

  Status run(int stop) {
    if (stop >= 0) {
      Fd copy(::fcntl(stop, F_DUPFD_CLOEXEC, 0));
      if (!copy.valid()) return fail_errno(errno, "cannot wait for signals");
      stop_.assign(copy.release());
      stop_.async_wait(asio::posix::stream_descriptor::wait_read, [this](beast::error_code error) {
        if (!error) stop_all();
      });
    }
    asio::post(io_, [this] { end_if_idle(); });
    io_.run();
    return {};
  }

 private:
  void start_some() {
    while (!stopped_ && unanswered_ < kMostUnanswered && !waiting_.empty()) {
      const auto one = running_.emplace(running_.end());
      ++unanswered_;
      *one = std::make_unique<Following>(
          io_, path_, std::move(waiting_.front()),
          [this] {
            --unanswered_;
            asio::post(io_, [this] { start_some(); });
          },
          [this, one] {
            // Later, since the stream's own function is still running.
            asio::post(io_, [this, one] {
              running_.erase(one);
              end_if_idle();
            });
          });
      waiting_.pop_front();
      (*one)->start(timeout_);
    }
    end_if_idle();
  }

  void stop_all() {
    stopped_ = true;
    for (const StreamRequest& request : std::exchange(waiting_, {})) request.end(StreamEnd{});
    for (auto& one : running_) one->stop();
    grace_.expires_after(std::chrono::seconds(1));
    grace_.async_wait([this](beast::error_code error) {
      if (error) return;
      for (auto& one : running_) one->cut();
    });
    end_if_idle();
  }

  void end_if_idle() {
    if (!running_.empty() || !waiting_.empty()) return;
    beast::error_code ignored;
    static_cast<void>(stop_.close(ignored));
    grace_.cancel();
  }

  const std::string path_;
  const std::chrono::milliseconds timeout_;
  asio::io_context io_{1};
  asio::posix::stream_descriptor stop_{io_};
  asio::steady_timer grace_{io_};
  std::deque<StreamRequest> waiting_;
  std::list<std::unique_ptr<Following>> running_;
  std::size_t unanswered_ = 0;
  bool stopped_ = false;
};

StreamClient::StreamClient(std::string socket_path, std::chrono::milliseconds timeout)
    : impl_(std::make_unique<Impl>(std::move(socket_path), timeout)) {}
StreamClient::~StreamClient() = default;

void StreamClient::add(StreamRequest request) {
  impl_->add(std::move(request));
}

void StreamClient::end() {
  impl_->end();
}

Status StreamClient::run(int stop) {
  return impl_->run(stop);
}

Status fetch_streams(const std::string& socket_path, std::span<const StreamRequest> requests, int stop,
                     std::chrono::milliseconds timeout) {
  try {
    StreamClient client(socket_path, timeout);
    for (const StreamRequest& request : requests) client.add(request);
    return client.run(stop);
  } catch (const std::exception& error) {  // a path that is too long for a socket address, or no memory
    return fail("cannot connect to " + printable(socket_path) + ": " + printable(error.what()));
  }
}

}  // namespace flowtap::http
