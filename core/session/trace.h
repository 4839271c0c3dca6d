// Records the operations that a function runs, so that a graph can run them without it.
#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "eager/observer.h"
#include "session/program.h"

namespace ef::session {

// Collects this thread's operations during its lifetime.
//
// A function is traced on symbolic tensors. Its operations represent it if it has no side effects
// and reads no values. To detect attributes that depend on sizes, it is traced with other sizes and
// the programs are compared.
class Trace final : public Observer {
 public:
  Trace();
  ~Trace() override;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void ran(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
           std::span<const Tensor> outputs) override;
  void saw_effect() override;
  // Ends the collecting.
  void stop();

  // The operations from the arguments to the results; nothing if they are incomplete. Every
  // argument with a value must be the input of one of them: otherwise the function has read it.
  std::optional<Program> program(std::span<const Tensor> arguments,
                                 std::span<const Tensor> results) const;

 private:
  struct Call {
    const Op* op;
    SavedAttrs attrs;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
  };

  std::thread::id thread_ = std::this_thread::get_id();
  std::vector<Call> calls_;
  bool effects_ = false;
  bool running_ = true;
};

}  // namespace ef::session
