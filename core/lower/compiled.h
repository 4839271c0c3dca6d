// Functions of graphs that run as one program on a device of a plugin.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/pjrt/client.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "lower/program.h"
#include "tensor/error.h"

namespace ef::lower {

// The text of the program that a function has for these arguments. Throws InvalidArgument with the
// reason if it has none.
std::string program_text(const graph::Graph& graph, std::span<const TensorSpec> arguments);

// Nodes that only the host can run, such as the next batch of a dataset, or a message, run before
// or after the program, in their order. A program is compiled once for each combination of shapes.
class CompiledFunction {
 public:
  // For functions without a program: throw InvalidArgument with the reason, or run operation by
  // operation.
  enum class Otherwise : uint8_t { kThrow, kRunOperations };

  CompiledFunction(graph::GraphPtr graph, pjrt::Client& client, int device, Otherwise otherwise)
      : graph_(std::move(graph)), client_(client), device_(device), otherwise_(otherwise) {}

  bool is_for(const pjrt::Client& client, int device) const {
    return &client_ == &client && device_ == device;
  }
  // Appends the outputs for these values of inputs and captures.
  void run(std::span<const Tensor> arguments, TensorList& outputs);

  // The number of compiled programs.
  int64_t compiled() const { return compiled_.load(std::memory_order_relaxed); }
  // The text of the program that ran last; empty if none did.
  std::string text();

 private:
  // A program for certain specs of the arguments and of the results of earlier host nodes.
  struct Unit {
    SpecList given;
    graph::GraphPtr graph;  // whose inputs are the arguments and what was given
    std::vector<graph::NodeId> later;
    Program program;
    // The program of replicas, if their operations match, and their devices.
    std::unique_ptr<ReplicatedProgram> replicated;
    std::vector<int> devices;
    pjrt::ExecutablePtr executable;
    TensorList constants;               // on the device
    std::unique_ptr<graph::Plan> plan;  // where there is no program
  };
  // The function for certain specs of arguments, with the nodes of the host that run first.
  struct Trace {
    SpecList arguments;
    graph::GraphPtr graph;
    std::vector<graph::NodeId> before;
    std::vector<std::unique_ptr<Unit>> units;
    std::unique_ptr<graph::Plan> plan;  // where shapes depend on values
  };

  Trace& trace_for(std::span<const Tensor> arguments);
  Unit& unit_for(Trace& trace, std::span<const Tensor> arguments, std::span<const Tensor> given);
  std::unique_ptr<Unit> compile(const Trace& trace, std::span<const Tensor> arguments,
                                std::span<const Tensor> given);
  bool compile_replicas(Unit& unit) const;
  void run_replicas(Unit& unit, std::span<const Tensor> arguments, TensorList& outputs);
  void run_unit(Unit& unit, std::span<const Tensor> arguments, TensorList& outputs);
  void cannot_compile(const graph::Graph& graph, const Error& error) const;
  std::unique_lock<std::mutex> locked();

  graph::GraphPtr graph_;
  pjrt::Client& client_;
  int device_;
  Otherwise otherwise_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Trace>> traces_;
  Unit* last_ = nullptr;
  std::atomic<int64_t> compiled_ = 0;
};

}  // namespace ef::lower
