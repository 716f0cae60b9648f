#include "http/server/streaming.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http.hpp>
#include <string>

namespace flowtap::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// What one connection holds in memory at a time, apart from the rest of the last line. There may be thousands of
// followers, and each one that does not read keeps its piece.
constexpr std::size_t kPiece = std::size_t{64} * 1024;
constexpr std::size_t kFollowedPiece = std::size_t{16} * 1024;
// How much the kernel buffers for one follower. It doubles this value for its own needs.
constexpr int kFollowedSocket = 32 * 1024;

/// Waits until a reader may have more, or the client sends something or goes.
class Waiter {
 public:
  Waiter(Socket& socket, const LoopWaker& waker, Closing& closing)
      : socket_(socket),
        waker_(waker),
        closing_(closing),
        state_(std::make_shared<State>(socket.get_executor())),
        at_the_end_(closing, [state = state_] { state->sleep.cancel(); }) {
    // This one wait lasts for as long as the client follows; the handler owns everything that it uses.
    socket_.async_wait(Socket::wait_read, [state = state_](const beast::error_code&) {
      state->client_done = true;
      state->sleep.cancel();
    });
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    beast::error_code gone;
    socket_.cancel(gone);
  }

  [[nodiscard]] bool client_done() const { return state_->client_done; }

  /// Returns when there may be more to read, the client is done, or the service closes.
  asio::awaitable<void> more(BodyReader& reader) {
    state_->woken = false;
    reader.when_more(waker_.wake_by([weak = std::weak_ptr(state_)] {
      const auto state = weak.lock();
      if (!state) return;
      state->woken = true;
      state->sleep.cancel();
    }));
    while (!state_->woken && !state_->client_done && !closing_.begun()) {
      state_->sleep.expires_at(asio::steady_timer::time_point::max());
      co_await state_->sleep.async_wait(kAwait);
    }
  }

 private:
  /// Used only in the loop's thread.
  struct State {
    explicit State(const Socket::executor_type& executor) : sleep(executor) {}
    asio::steady_timer sleep;
    bool woken = false;
    bool client_done = false;
  };

  Socket& socket_;
  const LoopWaker& waker_;
  const Closing& closing_;
  std::shared_ptr<State> state_;
  Closing::Listener at_the_end_;
};

asio::awaitable<bool> send_head(Connection& connection, const StreamBody& body, const AnswerForm& form,
                                std::chrono::milliseconds patience) {
  http::response<http::empty_body> response(http::status::ok, form.version);
  response.set(http::field::content_type, beast_view(body.type));
  response.set(http::field::cache_control, "no-store");
  if (body.missing_bytes) response.set(beast_view(kMissingHeader), std::to_string(*body.missing_bytes));
  if (form.version >= 11) {
    response.set(http::field::trailer, beast_view(kMissingHeader));
    response.chunked(true);
  }
  response.keep_alive(form.keep_alive);
  http::response_serializer<http::empty_body> serializer(response);
  connection.expires_after(patience);
  const auto [error, sent] = co_await http::async_write_header(connection, serializer, kAwait);
  co_return !error;
}

asio::awaitable<bool> send_piece(Connection& connection, const std::string& bytes, bool chunked,
                                 std::chrono::milliseconds patience) {
  const asio::const_buffer buffer(bytes.data(), bytes.size());
  if (chunked) co_return co_await send_patiently(connection, http::make_chunk(buffer), patience);
  co_return co_await send_patiently(connection, buffer, patience);
}

asio::awaitable<bool> send_end(Connection& connection, std::uint64_t missing, bool unfinished,
                               std::chrono::milliseconds patience) {
  http::fields trailer;
  trailer.set(beast_view(kMissingHeader), std::to_string(missing));
  if (unfinished) trailer.set(beast_view(kUnfinishedHeader), "flowtapd ends");
  co_return co_await send_patiently(connection, http::make_chunk_last(trailer), patience);
}

}  // namespace

asio::awaitable<Status> prepare_stream(Connection& connection, StreamBody& body) {
  while (true) {
    const auto done = body.reader->prepare();
    if (!done) co_return std::unexpected(done.error());
    if (*done) break;
    co_await asio::post(connection.get_executor(), kAwait);
  }
  body.missing_bytes = body.reader->missing_bytes();
  co_return Status();
}

asio::awaitable<bool> send_stream(Connection& connection, StreamBody body, AnswerForm form,
                                  const LoopWaker& waker, Closing& closing,
                                  std::chrono::milliseconds patience) {
  if (!co_await send_head(connection, body, form, patience)) co_return false;
  if (form.head) co_return true;
  if (body.follow) {
    // A follower may stop reading for as long as it likes: what is kept for it is bounded, and it is told how much was
    // dropped meanwhile.
    patience = kEndless;
    beast::error_code as_it_was;
    connection.socket().set_option(asio::socket_base::send_buffer_size(kFollowedSocket), as_it_was);
  }
  const bool chunked = form.version >= 11;
  std::optional<Waiter> waiter;  // only after the history, which every client gets
  std::uint64_t missing = 0;
  bool unfinished = false;
  while (true) {
    const auto piece = body.reader->read(body.follow ? kFollowedPiece : kPiece);
    if (!piece) co_return false;
    missing += piece->missing_before;
    if (!piece->bytes.empty() && !co_await send_piece(connection, piece->bytes, chunked, patience))
      co_return false;
    if (piece->end || (waiter && waiter->client_done())) break;
    if (piece->again && piece->bytes.empty()) co_await asio::post(connection.get_executor(), kAwait);
    unfinished = body.follow && closing.begun();
    if (unfinished) break;
    if (piece->again || !piece->bytes.empty()) continue;
    if (!body.follow) break;
    if (!waiter) waiter.emplace(connection.socket(), waker, closing);
    co_await waiter->more(*body.reader);
  }
  waiter.reset();
  if (!chunked) co_return !unfinished;
  co_return co_await send_end(connection, missing, unfinished, patience);
}

}  // namespace flowtap::http
