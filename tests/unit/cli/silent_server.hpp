#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>
#include <utility>

#include "cli/http_client.hpp"

namespace heddle::cli::testing_support {

/// Takes one connection on the loopback, answers with fixed bytes and then says nothing until the
/// client goes.
class SilentServer {
 public:
  explicit SilentServer(std::string answer)
      : acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}),
        thread_([this, text = std::move(answer)] { serve(text); }) {}
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() { thread_.join(); }

  [[nodiscard]] ServerAddress address() const {
    return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port())};
  }

 private:
  void serve(const std::string& answer) {
    boost::asio::ip::tcp::socket socket = acceptor_.accept();
    std::string request;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n");
    boost::asio::write(socket, boost::asio::buffer(answer));
    boost::system::error_code gone;
    boost::asio::read(socket, boost::asio::dynamic_buffer(request), gone);
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
};

}  // namespace heddle::cli::testing_support
