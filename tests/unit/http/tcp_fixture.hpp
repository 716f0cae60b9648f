// A server over TCP, for requests with and without a token.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {

namespace asio = boost::asio;
using asio::ip::tcp;

inline const std::string kToken = "correct-horse-battery-staple";

/// A connection that stays open, from an address of this machine.
class Client {
 public:
  explicit Client(const tcp::endpoint& to, const char* from = "127.0.0.1") : socket_(io_, tcp::v4()) {
    socket_.bind({asio::ip::make_address(from), 0});
    socket_.connect(to);
  }
  void send(const std::string& bytes) {
    boost::system::error_code error;
    asio::write(socket_, asio::buffer(bytes), error);
  }
  /// The head of one answer, without reading on; "" if the connection ends before.
  std::string read_head() {
    boost::system::error_code error;
    const std::size_t size = asio::read_until(socket_, asio::dynamic_buffer(read_), "\r\n\r\n", error);
    return error ? std::string() : std::exchange(read_, read_.substr(size)).substr(0, size);
  }
  /// Everything until the server closes.
  std::string read_all() {
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(read_), error);
    return std::exchange(read_, {});
  }

 private:
  asio::io_context io_;
  tcp::socket socket_;
  std::string read_;
};

class TcpTest : public ServerTest {
 protected:
  void write_tokens(const std::string& text, mode_t mode = 0600) const {
    const std::string next = tokens() + ".new";  // replaced by a rename, as is usual
    std::ofstream(next) << text;
    ::chmod(next.c_str(), mode);
    std::filesystem::rename(next, tokens());
  }
  [[nodiscard]] std::string tokens() const { return dir_ / "tokens"; }

  /// Without a file of tokens it makes its own.
  void start_tcp(TcpOptions options = {}, std::size_t followers = 256, std::string token_file = {}) {
    if (options.host.empty()) options.host = "127.0.0.1";
    if (token_file.empty()) {
      write_tokens("# of the tests\n\n" + kToken + "\n");
      token_file = tokens();
    }
    options.refusal = refusal_;
    server_.reset();
    counts_ = std::make_shared<ApiCounts>();
    auto server = ApiServer::start({.socket_path = path(),
                                    .socket_group = "",
                                    .max_followers = followers,
                                    .tcp = options,
                                    .counts = counts_},
                                   node_, {token_file});
    ASSERT_TRUE(server) << server.error().what;
    server_.emplace(std::move(*server));
  }
  [[nodiscard]] std::string why_not() const { return server_->tcp()->error().what; }
  [[nodiscard]] tcp::endpoint endpoint() const {
    const std::string& url = **server_->tcp();
    return {asio::ip::make_address("127.0.0.1"),
            static_cast<unsigned short>(std::stoi(url.substr(url.rfind(':') + 1)))};
  }

  static std::string request(const std::string& target, const std::string& authorization,
                             const std::string& method = "GET") {
    return method + " " + target + " HTTP/1.1\r\nHost: a\r\n" +
           (authorization.empty() ? "" : "Authorization: " + authorization + "\r\n") +
           "Connection: close\r\n\r\n";
  }
  [[nodiscard]] std::string ask(const std::string& bytes) const {
    Client client(endpoint());
    client.send(bytes);
    return client.read_all();
  }
  /// "" if the server has another certificate.
  [[nodiscard]] std::string ask_tls(const std::string& bytes, const std::string& certificate) const {
    asio::io_context io;
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.load_verify_file(certificate);
    context.set_verify_mode(asio::ssl::verify_peer);
    asio::ssl::stream<tcp::socket> stream(io, context);
    stream.next_layer().connect(endpoint());
    boost::system::error_code error;
    if (stream.handshake(asio::ssl::stream_base::client, error)) return "";
    asio::write(stream, asio::buffer(bytes), error);
    std::string answer;
    asio::read(stream, asio::dynamic_buffer(answer), error);
    return answer;
  }
  [[nodiscard]] std::string status_of(const std::string& authorization) const {
    return ask(request("/healthz", authorization)).substr(9, 3);
  }

  std::chrono::milliseconds refusal_{1};
  std::shared_ptr<ApiCounts> counts_;
};

}  // namespace flowtap::api
