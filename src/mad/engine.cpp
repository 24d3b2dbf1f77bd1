#include "mad/engine.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "mad/pma.hpp"
#include "mad/query_book.hpp"
#include "mad/timeout_queue.hpp"
#include "mad/transaction_table.hpp"
#include "model/assert.hpp"

namespace heddle::mad {
namespace {

using model::Errc;

/// Bit of MAD status: could not take the MAD now, ask again (13.4.7).
constexpr std::uint16_t kBusy = 0x0001;

/// Whether a status says that the device does not know the question at all, now or later: class
/// version, method, or attribute with this method (codes 1 to 3 of bits 2-4, 13.4.7).
bool says_unsupported(std::uint16_t status) {
  const unsigned code = status >> 2U & 7U;
  return code >= 1 && code <= 3;
}

/// How many MADs one run_once() takes in at most, so that a flood cannot hold its caller.
constexpr std::size_t kMostTakenIn = 4096;

/// While many queries are under way, the next ones go out by the batch: one sending for each answer
/// would wake this program and the device (or its simulator) once for each MAD. A batch never waits
/// longer than this for the rest of its answers.
constexpr std::chrono::milliseconds kLongestHold{1};
constexpr std::size_t kLargestBatch = 16;
/// Batches in a row that came together in time before a larger one is tried.
constexpr std::size_t kBatchesToGrow = 32;

/// Keeps the doubled time-out within its range, whatever number of attempts is asked for.
constexpr unsigned kMaxDoublings = 16;

std::uint32_t low_word(std::uint64_t transaction_id) {
  return static_cast<std::uint32_t>(transaction_id);
}

OutgoingMad make_mad(const Query& query, std::uint32_t transaction,
                     std::chrono::milliseconds timeout) {
  OutgoingMad mad;
  mad.timeout = timeout;
  header_to_wire({.management_class = static_cast<std::uint8_t>(query.management_class),
                  .method = static_cast<std::uint8_t>(Method::kGet),
                  .transaction_id = transaction,
                  .attribute = query.attribute,
                  .modifier = query.modifier},
                 mad.bytes);
  if (const auto* route = std::get_if<DirectedRoute>(&query.to)) {
    route_to_wire(*route, mad.bytes);
  } else {
    mad.lid = std::get<model::Lid>(query.to);
  }
  if (query.management_class == ManagementClass::kPerformance) {
    port_select_to_wire(query.port_select, gmp_data(mad.bytes));
  }
  return mad;
}

bool answers(const Header& header, const Query& query) {
  return header.method == static_cast<std::uint8_t>(Method::kGetResp) &&
         header.management_class == static_cast<std::uint8_t>(query.management_class) &&
         header.attribute == query.attribute;
}

/// Which of MadStats::round_trip counts `time`.
std::size_t bucket_of(Clock::duration time) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  const auto units = static_cast<std::uint64_t>(std::max<std::int64_t>(microseconds - 1, 0)) / 64;
  return std::min<std::size_t>(std::bit_width(units), MadStats::kBuckets - 1);
}

}  // namespace

class MadEngine::Impl {
 public:
  Impl(Transport& transport, Options options, Now now)
      : transport_(transport),
        options_(fitting(options, transport)),
        now_(std::move(now)),
        book_(options_),
        transactions_(options_.window, options_.first_transaction),
        timeouts_(options_.attempts) {}

  void submit(Query query, Completion completion) {
    HEDDLE_ASSERT(std::holds_alternative<DirectedRoute>(query.to) ==
                  (query.management_class == ManagementClass::kSmpDirected));
    finish_mute(book_.add(std::move(query), std::move(completion), now_()));
  }

  model::Status run_once(std::chrono::milliseconds wait) {
    if (lost_) return lose(*lost_);
    bool busy = deliver();
    send_in_batches();
    busy |= deliver();
    bool drained = false;
    bool waited = false;
    for (std::size_t taken = 0; !lost_ && !drained && taken < kMostTakenIn; ++taken) {
      // For one batch; then the caller is to have its turn.
      const bool holding = holds_back() && !waited;
      auto received = transport_.receive(holding ? std::min(kLongestHold, wait)
                                         : busy  ? std::chrono::milliseconds{0}
                                                 : shorten(wait));
      busy = true;
      if (!received) return lose(received.error());
      drained = !*received;
      if (drained) break;
      ++answers_held_;
      take_in(**received);
      deliver();
      send_in_batches();
      waited |= holding && !holds_back();
    }
    if (drained && !waited) give_up_holding();
    // Only now: what has arrived in time must not count as timed out because we come late.
    if (!lost_ && drained) {
      expire();
      send_in_batches();
    }
    if (lost_) return lose(*lost_);
    deliver();
    return {};
  }

  void cancel(std::uint32_t job) {
    QueryBook::Entries entries = book_.take_job(job);
    finish_all(std::move(entries), {Errc::kCancelled, "cancelled", std::nullopt});
    deliver();
  }

  [[nodiscard]] bool idle() const noexcept {
    return book_.in_flight() == 0 && book_.waiting() == 0 && finished_.empty();
  }
  [[nodiscard]] Clock::time_point now() const { return now_(); }
  [[nodiscard]] const QueryBook& book() const noexcept { return book_; }
  [[nodiscard]] const MadStats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::vector<model::NodeGuid> mute_devices() const {
    return book_.mute_devices(now_());
  }

 private:
  using EntryRef = QueryBook::EntryRef;
  struct Finished {
    Completion completion;
    model::Result<Reply> result;
  };

  static Options fitting(Options options, const Transport& transport) {
    options.window = std::max<std::size_t>(std::min(options.window, transport.capacity()), 1);
    options.device_window = std::max<std::size_t>(options.device_window, 1);
    options.attempts = std::max(options.attempts, 1U);
    return options;
  }

  auto is_live() const {
    return [this](std::uint32_t transaction) { return transactions_.find(transaction) != nullptr; };
  }

  /// `wait`, or what is left until something is to be done; rounded up, so that no time is spent
  /// in turns that come too early.
  std::chrono::milliseconds shorten(std::chrono::milliseconds wait) {
    auto due = timeouts_.next(is_live());
    if (const auto start = book_.next_start(); start && (!due || *start < *due)) due = start;
    if (!due) return wait;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - now_());
    return std::clamp(left, std::chrono::milliseconds{0}, wait);
  }

  /// The size of a batch, but never more than half of what can still come in.
  [[nodiscard]] std::size_t batch() const noexcept {
    return std::min(batch_, book_.in_flight() / 2);
  }
  [[nodiscard]] bool holds_back() const noexcept {
    return answers_held_ > 0 && answers_held_ < batch();
  }

  void send_in_batches() {
    if (holds_back()) return;
    if (answers_held_ >= batch_ && batch_ < kLargestBatch && ++whole_batches_ >= kBatchesToGrow) {
      batch_ *= 2;
      whole_batches_ = 0;
    }
    answers_held_ = 0;
    send_what_may_go();
  }

  /// What the batch waits for is not coming: devices that are mute, or slow, hold the windows.
  void give_up_holding() {
    if (holds_back()) {
      batch_ = std::max<std::size_t>(batch_ / 2, 1);
      whole_batches_ = 0;
    }
    answers_held_ = 0;
  }

  void send_what_may_go() {
    while (!lost_) {
      const auto next = book_.start_next(now_());
      if (!next) return;
      attempt(*next);
    }
  }

  void attempt(EntryRef entry) {
    entry->transaction = transactions_.open(entry);
    const auto timeout = options_.timeout * (1 << std::min(entry->attempt, kMaxDoublings));
    const auto sent = transport_.send(make_mad(entry->query, entry->transaction, timeout));
    if (!sent) {
      if (sent.error().code == Errc::kUnavailable) {
        lost_ = sent.error();
      } else {
        finish_all(book_.withdrawn(entry), sent.error());
      }
      return;
    }
    entry->sent_at = now_();
    timeouts_.push(entry->attempt, entry->sent_at + timeout, entry->transaction);
    if (entry->attempt++ > 0) ++stats_.retries;
    ++stats_.sent;
  }

  void take_in(const IncomingMad& mad) {
    const Header header = header_from_wire(mad.bytes);
    const EntryRef* const found = transactions_.find(low_word(header.transaction_id));
    if (mad.timed_out) {
      if (found != nullptr) no_answer(*found);
      return;
    }
    if (found == nullptr || !answers(header, (*found)->query)) {
      ++stats_.strays;
      return;
    }
    const EntryRef entry = *found;
    const bool busy = (header.status & kBusy) != 0;
    if (busy && entry->attempt < options_.attempts) return;
    const Clock::time_point now = now_();
    transactions_.close(entry->transaction);
    ++stats_.replies;
    ++stats_.round_trip[bucket_of(now - entry->sent_at)];
    stats_.round_trip_seconds_sum += std::chrono::duration<double>(now - entry->sent_at).count();
    QueryBook::Entries done = book_.answered(entry);
    if (busy) {
      ++stats_.failures;
      std::string text = fmt::format("attribute 0x{:04x}: the device was busy at all {} attempts",
                                     header.attribute, done.front().attempt);
      finish_all(std::move(done), {Errc::kBusy, std::move(text), std::nullopt});
      return;
    }
    if (header.status != 0) {
      ++stats_.refused;
      const Errc code = says_unsupported(header.status) ? Errc::kUnsupported : Errc::kRefused;
      finish_all(std::move(done), {code,
                                   fmt::format("attribute 0x{:04x}: {}", header.attribute,
                                               describe_status(header.status)),
                                   std::nullopt});
      return;
    }
    finished_.push_back({std::move(done.front().completion), Reply{mad.bytes, now}});
  }

  void expire() {
    const Clock::time_point now = now_();
    while (const auto transaction = timeouts_.pop_due(now, is_live())) {
      no_answer(*transactions_.find(*transaction));
      if (lost_) return;
    }
  }

  void no_answer(EntryRef entry) {
    ++stats_.timeouts;
    transactions_.close(entry->transaction);
    if (entry->attempt < options_.attempts) {
      attempt(entry);
      return;
    }
    ++stats_.failures;
    QueryBook::Entries given_up = book_.unanswered(entry, now_());
    QueryBook::Entries first;
    first.splice(first.end(), given_up, given_up.begin());
    std::string text = fmt::format("attribute 0x{:04x}: no answer after {} attempts",
                                   first.front().query.attribute, first.front().attempt);
    finish_all(std::move(first), {Errc::kTimeout, std::move(text), std::nullopt});
    finish_mute(std::move(given_up));
  }

  void finish_mute(QueryBook::Entries entries) {
    stats_.mute_skips += entries.size();
    finish_all(std::move(entries),
               {Errc::kMute, "not asked: the device has not answered lately", std::nullopt});
  }

  void finish_all(QueryBook::Entries entries, const model::Error& error) {
    for (QueryBook::Entry& entry : entries) {
      transactions_.close(entry.transaction);
      finished_.push_back({std::move(entry.completion), model::fail(error)});
    }
  }

  /// Calls what is finished; a completion may come back here through run_once() or cancel().
  bool deliver() {
    bool any = false;
    while (!finished_.empty()) {
      Finished next = std::move(finished_.front());
      finished_.pop_front();
      next.completion(std::move(next.result));
      any = true;
    }
    return any;
  }

  model::Status lose(model::Error error) {
    error.code = Errc::kUnavailable;
    lost_ = error;
    finish_all(book_.take_all(), error);
    deliver();
    return model::fail(std::move(error));
  }

  Transport& transport_;
  const Options options_;
  const Now now_;
  QueryBook book_;
  TransactionTable<EntryRef> transactions_;
  TimeoutQueue timeouts_;
  std::deque<Finished> finished_;
  std::optional<model::Error> lost_;
  std::size_t batch_ = kLargestBatch;
  std::size_t answers_held_ = 0;  ///< taken in since the last sending
  std::size_t whole_batches_ = 0;
  MadStats stats_;
};

MadEngine::MadEngine(Transport& transport, Options options, Now now)
    : impl_(std::make_unique<Impl>(transport, options, std::move(now))) {}
MadEngine::~MadEngine() = default;

void MadEngine::submit(Query query, Completion completion) {
  impl_->submit(std::move(query), std::move(completion));
}
model::Status MadEngine::run_once(std::chrono::milliseconds wait) { return impl_->run_once(wait); }
void MadEngine::cancel(std::uint32_t job) { impl_->cancel(job); }
bool MadEngine::idle() const noexcept { return impl_->idle(); }
std::size_t MadEngine::outstanding() const noexcept { return impl_->book().in_flight(); }
std::size_t MadEngine::queued() const noexcept { return impl_->book().waiting(); }
Clock::time_point MadEngine::now() const { return impl_->now(); }
const MadStats& MadEngine::stats() const noexcept { return impl_->stats(); }
std::vector<model::NodeGuid> MadEngine::mute_devices() const { return impl_->mute_devices(); }

}  // namespace heddle::mad
