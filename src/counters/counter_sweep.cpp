#include "counters/counter_sweep.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "counters/sweep_plan.hpp"
#include "model/assert.hpp"

namespace heddle::counters {
namespace {

using model::Errc;
using Support = CapabilityCache::Support;

/// Queries handed to the engine at a time, in all and for one node: memory stays small on any
/// fabric, and with 4,096 / 16 = 256 nodes or more under way the engine's windows stay full.
constexpr std::size_t kMostSubmitted = 4096;
constexpr std::size_t kMostSubmittedPerNode = 16;

/// Whether the device answered for good, though not with what was asked for.
bool is_refusal(const model::Error& error) noexcept {
  return error.code == Errc::kRefused || error.code == Errc::kUnsupported;
}

mad::Query performance_query(std::uint16_t attribute, model::Lid lid, std::uint32_t job) {
  mad::Query query;
  query.management_class = mad::ManagementClass::kPerformance;
  query.attribute = attribute;
  query.to = lid;
  query.job = job;
  return query;
}

void decode(std::uint16_t attribute, mad::GmpData data, const mad::ClassPortInfo& caps,
            model::CounterSample& sample) {
  switch (attribute) {
    case mad::pma::kPortCountersExtended:
      mad::port_counters_extended_from_wire(data, caps, sample);
      break;
    case mad::pma::kPortCounters:
      mad::port_counters_from_wire(data, caps, sample);
      break;
    case mad::pma::kPortRcvErrorDetails:
      mad::port_rcv_error_details_from_wire(data, sample);
      break;
    case mad::pma::kPortXmitDiscardDetails:
      mad::port_xmit_discard_details_from_wire(data, sample);
      break;
    default:
      HEDDLE_ASSERT(false);
  }
}

/// One node's part of the round: all its ports for the first attribute, then for the next.
struct NodeTask {
  NodeToAsk ask;
  std::vector<bool> port_failed;  ///< parallel to ask.ports
  mad::ClassPortInfo caps;
  std::vector<std::uint16_t> attributes;  ///< empty until caps are known
  std::size_t attribute = 0;              ///< next to ask, in attributes
  std::size_t port = 0;                   ///< next to ask, in ask.ports
  std::size_t submitted = 0;
  bool trying = false;    ///< an optional attribute is under way to see whether the node has it
  bool asked = false;     ///< anything
  bool answered = false;  ///< anything
};

}  // namespace

class CounterSweep::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(mad::MadEngine& engine, Options options, std::shared_ptr<const model::Fabric> fabric,
       CapabilityCache& capabilities)
      : engine_(engine),
        options_(std::move(options)),
        fabric_(std::move(fabric)),
        capabilities_(capabilities) {}

  void start(Sink sink, TickSink ticks, Done done) {
    sink_ = std::move(sink);
    ticks_ = std::move(ticks);
    done_ = std::move(done);
    started_at_ = options_.now();
    const bool anything =
        options_.data || options_.errors || options_.details || options_.wait_tick;
    if (anything) {
      SweepPlan plan = plan_sweep(*fabric_);
      outcome_.ports = plan.ports;
      outcome_.ports_unreached = plan.ports_unreached;
      tasks_.reserve(plan.nodes.size());
      for (NodeToAsk& ask : plan.nodes) {
        NodeTask& task = tasks_.emplace_back();
        task.port_failed.resize(ask.ports.size());
        task.ask = std::move(ask);
      }
    }
    proceed();
  }

  void cancel() {
    if (!done_) return;
    stop(model::Error{Errc::kCancelled, "counter sweep cancelled", std::nullopt});
    engine_.cancel(options_.job);
    proceed();
  }

  void abandon() {
    done_ = nullptr;
    stop(model::Error{Errc::kCancelled, "counter sweep abandoned", std::nullopt});
    if (submitted_ != 0) engine_.cancel(options_.job);
  }

 private:
  /// What a completion is about.
  struct Asked {
    std::size_t task;
    std::uint16_t attribute;
    std::uint16_t port;  ///< in NodeTask::ask.ports; for ClassPortInfo whose LID is asked
    bool trial;          ///< to see whether the node has the attribute
  };

  void stop(model::Error why) {
    if (!stopped_) stopped_ = std::move(why);
  }

  /// Starts nodes as long as there is room; ends the round when nothing is left.
  void proceed() {
    while (!stopped_ && submitted_ < kMostSubmitted && next_task_ < tasks_.size()) {
      begin(next_task_++);
    }
    const bool all_begun = stopped_ || next_task_ == tasks_.size();
    if (submitted_ == 0 && all_begun && done_) finish();
  }

  void finish() {
    outcome_.duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.now() - started_at_);
    std::ranges::sort(outcome_.silent);
    const Done done = std::exchange(done_, nullptr);
    if (stopped_) {
      done(model::fail(*stopped_));
    } else {
      done(std::move(outcome_));
    }
  }

  [[nodiscard]] model::NodeGuid guid_of(const NodeTask& task) const {
    return fabric_->node(task.ask.node).guid;
  }

  void begin(std::size_t t) {
    NodeTask& task = tasks_[t];
    if (const mad::ClassPortInfo* caps = capabilities_.find(guid_of(task))) {
      know(task, *caps);
      ask_on(t);
    } else {
      submit(Asked{t, mad::pma::kClassPortInfo, 0, false});
    }
  }

  void know(NodeTask& task, const mad::ClassPortInfo& caps) {
    task.caps = caps;
    Options wanted = options_;
    if (task.ask.has_subnet_manager) wanted.wait_tick = false;
    task.attributes = attributes_to_ask(caps, wanted);
  }

  /// Asks for what this node may be asked now; closes its books when there is nothing more.
  void ask_on(std::size_t t) {
    NodeTask& task = tasks_[t];
    while (!stopped_ && !task.trying && task.submitted < kMostSubmittedPerNode &&
           task.attribute < task.attributes.size()) {
      const std::uint16_t attribute = task.attributes[task.attribute];
      bool trial = false;
      if (const auto optional = optional_attribute(attribute)) {
        const Support support = capabilities_.support(guid_of(task), *optional);
        if (support == Support::kNo) {
          next_attribute(task);
          continue;
        }
        trial = support == Support::kUntried;
      }
      const Asked asked{t, attribute, static_cast<std::uint16_t>(task.port), trial};
      if (++task.port == task.ask.ports.size() && !trial) next_attribute(task);
      task.trying = trial;
      submit(asked);
    }
    if (task.submitted == 0) close(task);
  }

  static void next_attribute(NodeTask& task) {
    ++task.attribute;
    task.port = 0;
  }

  void submit(Asked asked) {
    NodeTask& task = tasks_[asked.task];
    const PortToAsk& port = task.ask.ports[asked.port];
    mad::Query query = performance_query(asked.attribute, port.lid, options_.job);
    if (asked.attribute != mad::pma::kClassPortInfo) {
      query.port_select = fabric_->port(port.port).number;
    }
    // Silence on an attribute that the node may not have must not make the node count as mute.
    if (!asked.trial) query.target = guid_of(task);
    task.asked = true;
    ++task.submitted;
    ++submitted_;
    ++outcome_.queries;
    engine_.submit(std::move(query),
                   [self = shared_from_this(), asked](model::Result<mad::Reply> reply) {
                     self->completed(asked, reply);
                   });
  }

  void completed(Asked asked, const model::Result<mad::Reply>& reply) {
    NodeTask& task = tasks_[asked.task];
    --task.submitted;
    --submitted_;
    if (!reply &&
        (reply.error().code == Errc::kCancelled || reply.error().code == Errc::kUnavailable)) {
      stop(reply.error());
    }
    if (!stopped_) {
      task.answered =
          task.answered || reply || is_refusal(reply.error()) || reply.error().code == Errc::kBusy;
      if (asked.attribute == mad::pma::kClassPortInfo) {
        take_capabilities(task, reply);
      } else {
        take_values(task, asked, reply);
      }
      ask_on(asked.task);
    }
    proceed();
  }

  void take_capabilities(NodeTask& task, const model::Result<mad::Reply>& reply) {
    if (!reply) ++outcome_.failures;
    if (!reply && !is_refusal(reply.error())) {
      task.port_failed.assign(task.port_failed.size(), true);
      return;
    }
    const mad::ClassPortInfo caps =
        reply ? mad::class_port_info_from_wire(mad::gmp_data(reply->bytes)) : mad::ClassPortInfo{};
    // Another refusal than "unsupported" may pass: it holds for this round.
    if (reply || reply.error().code == Errc::kUnsupported) {
      capabilities_.set(guid_of(task), caps);
    }
    know(task, caps);
  }

  void take_values(NodeTask& task, Asked asked, const model::Result<mad::Reply>& reply) {
    const bool refused = !reply && is_refusal(reply.error());
    const auto optional = optional_attribute(asked.attribute);
    if (asked.trial && optional) judge_trial(task, *optional, reply);
    if (reply) {
      deliver(task, asked, *reply);
    } else if (!(optional && refused)) {
      ++outcome_.failures;
      // The tick belongs to no group of counters.
      if (asked.attribute != mad::pma::kPortSamplesControl) task.port_failed[asked.port] = true;
    }
  }

  void judge_trial(NodeTask& task, OptionalAttribute attribute,
                   const model::Result<mad::Reply>& reply) {
    const model::NodeGuid node = guid_of(task);
    task.trying = false;
    if (reply) {
      capabilities_.answered(node, attribute);
      if (task.port == task.ask.ports.size()) next_attribute(task);
      return;
    }
    // Any other refusal, and a device that was busy, may be another in the next round.
    const Errc code = reply.error().code;
    if (code == Errc::kUnsupported) capabilities_.refused(node, attribute);
    if (code == Errc::kTimeout) capabilities_.unanswered(node, attribute);
    next_attribute(task);
  }

  void deliver(const NodeTask& task, Asked asked, const mad::Reply& reply) {
    const model::PortKey key = fabric_->key(task.ask.ports[asked.port].port);
    const mad::GmpData data = mad::gmp_data(reply.bytes);
    if (asked.attribute == mad::pma::kPortSamplesControl) {
      if (ticks_) ticks_(key, mad::samples_control_tick_from_wire(data));
      return;
    }
    model::CounterSample sample;
    sample.port = key;
    sample.asked_at = task.ask.ports[asked.port].lid;
    sample.time = reply.received_at;
    decode(asked.attribute, data, task.caps, sample);
    if (sink_) sink_(sample);
  }

  void close(NodeTask& task) {
    if (stopped_) return;
    if (task.asked && !task.answered) {
      outcome_.silent.push_back(guid_of(task));
    } else {
      outcome_.ports_fresh += static_cast<std::size_t>(std::ranges::count(task.port_failed, false));
    }
    task = NodeTask{};
  }

  mad::MadEngine& engine_;
  Options options_;
  std::shared_ptr<const model::Fabric> fabric_;
  CapabilityCache& capabilities_;
  Sink sink_;
  TickSink ticks_;
  Done done_;
  std::vector<NodeTask> tasks_;
  std::size_t next_task_ = 0;
  std::size_t submitted_ = 0;
  mad::Clock::time_point started_at_;
  Outcome outcome_;
  std::optional<model::Error> stopped_;
};

CounterSweep::CounterSweep(mad::MadEngine& engine, Options options,
                           std::shared_ptr<const model::Fabric> fabric,
                           CapabilityCache& capabilities)
    : impl_(std::make_shared<Impl>(engine, std::move(options), std::move(fabric), capabilities)) {}

CounterSweep::~CounterSweep() { impl_->abandon(); }

void CounterSweep::start(Sink sink, TickSink ticks, Done done) {
  const std::shared_ptr<Impl> alive = impl_;  // `done` may destroy the sweep
  alive->start(std::move(sink), std::move(ticks), std::move(done));
}

void CounterSweep::cancel() {
  const std::shared_ptr<Impl> alive = impl_;
  alive->cancel();
}

}  // namespace heddle::counters
