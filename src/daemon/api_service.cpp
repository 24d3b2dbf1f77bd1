#include "daemon/api_service.hpp"

#include <span>
#include <string_view>

#include "daemon/guarded.hpp"
#include "exporter/prometheus.hpp"

namespace heddle::daemon {
namespace {

/// Below this, headers and gzip's own frame eat what is saved.
constexpr std::size_t kWorthCompressing = 1024;

bool reads(const HttpRequest& request) {
  return request.request.method == "GET" || request.request.method == "HEAD";
}

/// The compressed form of an answer has an ETag of its own (RFC 9110, 8.8.3): the plain one's with
/// this inside its quotes.
constexpr std::string_view kGzipTag = "-gzip";

/// Makes plain tags of those that a client has of compressed answers; true if there was one.
bool strip_gzip_tag(std::string& tags) {
  bool found = false;
  const std::string marked = std::string(kGzipTag) + '"';
  for (std::size_t at = tags.find(marked); at != std::string::npos; at = tags.find(marked)) {
    tags.erase(at, kGzipTag.size());
    found = true;
  }
  return found;
}

void add_gzip_tag(exporter::Response& response) {
  for (auto& [name, value] : response.headers) {
    if (name == "ETag" && value.ends_with('"')) value.insert(value.size() - 1, kGzipTag);
  }
}

void compress(exporter::Response& response) {
  auto prepared = exporter::PreparedBody::make(std::move(response.body));
  if (!prepared) {
    response = exporter::problem(500, "Out of memory", prepared.error().text);
    return;
  }
  const auto end = prepared->gzip_end("");
  if (end) {
    response.body = prepared->gzip_front() + *end;
    response.headers.emplace_back("Content-Encoding", "gzip");
    add_gzip_tag(response);
  } else {
    response.body = prepared->plain();
  }
}

}  // namespace

std::variant<HttpAnswer, EventStream> ApiService::serve(const HttpRequest& request) {
  const std::string_view target = request.request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/metrics") return metrics(request);
  if (path == "/v1/events" && request.accepts_event_stream && reads(request)) {
    auto filter = exporter::parse_event_filter(target);
    if (auto* refusal = std::get_if<exporter::Response>(&filter)) {
      return HttpAnswer{std::move(*refusal), nullptr};
    }
    EventStream stream{std::get<exporter::EventFilter>(filter), 0};
    const std::uint64_t last = events_.last_sequence();
    stream.after = request.last_event_id.value_or(stream.filter.since.value_or(last));
    // A number from before a restart: what has happened since is all new to this client.
    if (stream.after > last) stream.after = 0;
    stream.filter.since.reset();  // `after` says it, and Last-Event-ID has the last word
    return stream;
  }
  const auto published = published_.load();
  // The log is long and the copy that all() makes lasts until the next event only, so it is made
  // for those who read it. A percent sign may spell any path.
  std::shared_ptr<const std::vector<model::Event>> events;
  if (path == "/v1/events" || path.find('%') != std::string_view::npos) events = events_.all();
  const std::span<const model::Event> held =
      events ? std::span(*events) : std::span<const model::Event>();
  exporter::Request plain = request.request;
  const bool had_gzip = plain.if_none_match && strip_gzip_tag(*plain.if_none_match);
  HttpAnswer answer{exporter::handle(plain, *published->view, held), nullptr};
  if (answer.response.status == 304 && had_gzip) add_gzip_tag(answer.response);
  if (answer.response.body.size() >= kWorthCompressing) {
    answer.response.headers.emplace_back("Vary", "Accept-Encoding");
    if (request.accepts_gzip) compress(answer.response);
  }
  return answer;
}

HttpAnswer ApiService::metrics(const HttpRequest& request) const {
  HttpAnswer answer;
  if (!reads(request)) {
    answer.response = exporter::problem(405, "Method not allowed", "/metrics can only be read");
    answer.response.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  const auto published = published_.load();
  answer.response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  answer.response.headers.emplace_back("Vary", "Accept-Encoding");
  std::string tail = exporter::render_routing_metrics(*published->view) +
                     metrics_.text(published->mad, published->backing_off);
  const std::string* front = &published->metrics->plain();
  if (request.accepts_gzip) {
    if (auto end = published->metrics->gzip_end(tail)) {
      front = &published->metrics->gzip_front();
      tail = std::move(*end);
      answer.response.headers.emplace_back("Content-Encoding", "gzip");
    }
  }
  // Shared with all other answers: nothing of the body is copied.
  answer.shared_prefix = std::shared_ptr<const std::string>(published->metrics, front);
  answer.response.body = std::move(tail);
  return answer;
}

void ApiService::finished(std::string_view target, unsigned status,
                          std::chrono::nanoseconds duration) noexcept {
  // Out of memory it is a request that is not counted.
  guarded([&] { metrics_.request_finished(target, status, duration); }, [](std::string_view) {});
}

}  // namespace heddle::daemon
