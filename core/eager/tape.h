// The gradient tape: the watched tensors, the records of operations on them, and the backward pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "eager/gradient.h"
#include "eager/id_map.h"
#include "ops/attrs.h"

namespace ef {

class Variable;

// A backward step that is not in the op table (a Python function, for custom gradients).
class BackwardFunction {
 public:
  virtual ~BackwardFunction() = default;
  // Returns the gradients with respect to the recorded inputs, in order. A gradient is empty if
  // there is none, or if it is not `wanted`. `dy` has one dense gradient per recorded output.
  virtual std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) = 0;
  // Whether outputs without a gradient have an empty tensor in `dy` instead of zeros.
  virtual bool takes_missing() const { return false; }
};

// One recorded operation; defined in tape.cpp.
struct Record;

class Tape {
 public:
  struct Options {
    bool persistent = false;
    bool watch_accessed = true;  // whether trainable variables are watched when they are read
    bool integers = false;       // whether they are differentiated like floats
    bool watch_only = false;     // records the variables that are read, and no operations
    bool forward = false;        // custom steps count only if no operations lead to their results
  };
  explicit Tape(Options options);
  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  bool persistent() const { return options_.persistent; }
  bool is_forward() const { return options_.forward; }
  void set_persistent(bool persistent) { options_.persistent = persistent; }

  void watch(const Tensor& tensor);
  // From now on the tensor counts as independent of the tensors that it was computed from.
  void cut(const Tensor& tensor) { fresh_entry(tensor.impl()->id()); }
  void watch(Variable& variable);
  // Called when a variable is read. From now on, `value` is the tensor of the variable.
  void variable_read(Variable& variable, const Tensor& value);
  bool watches(const Variable& variable) const;
  // Whether a read of the variable is recorded: of watched variables, and mostly of trainable ones.
  bool watches_reads_of(const Variable& variable) const;
  // Watches a variable that is read, without a value for it.
  void watch_read(Variable& variable) {
    if (watches_reads_of(variable)) watch(variable);
  }

  // Records a call if one of its inputs is watched.
  void record(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
              std::span<const Tensor> outputs);
  void record(std::shared_ptr<BackwardFunction> backward, std::span<const uint64_t> inputs,
              std::span<const Tensor> outputs);

  // A tensor or variable that the outputs of a call are connected with.
  struct Source {
    uint64_t id = 0;
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  // Records that gradients of the outputs reach the sources, as zeros if by no operation.
  void connect(std::span<const Source> sources, std::span<const Tensor> outputs);

  // Sets a function that is called in a backward pass with the index of a record before its
  // gradient, which adds nodes to a graph, and with none before gradients are summed. Then all that
  // is added to a gradient is one sum.
  using Reached = std::function<void(std::optional<size_t> record)>;
  void on_reached(Reached reached) { reached_ = std::move(reached); }
  size_t record_count() const { return records_.size(); }

  // Called in a backward pass with the index of a source and its gradient, once the gradient is
  // complete.
  using Finished = std::function<void(size_t source, const Gradient& gradient)>;

  // Gradients of the sum of `targets` (weighted by `output_gradients`, empty tensors meaning ones)
  // with respect to the sources with these identities. Frees the records unless persistent.
  std::vector<Gradient> gradient(std::span<const Tensor> targets,
                                 std::span<const Tensor> output_gradients,
                                 std::span<const uint64_t> sources,
                                 const Finished& finished = nullptr);
  // The same for targets given by their identities, each with a weight.
  std::vector<Gradient> gradient(std::span<const uint64_t> targets, std::span<const Tensor> weights,
                                 std::span<const uint64_t> sources,
                                 const Finished& finished = nullptr);

  // The same for one target under several weightings, weights[0], weights[1], ... Returns for each
  // source a dense tensor with one more axis in front, or nothing. Gradient functions run for many
  // rows at once.
  std::vector<Gradient> gradients_of_rows(const Tensor& target, const Tensor& weights,
                                          std::span<const uint64_t> sources);
  // The same under weights that select one element each: of the target, or, if the target is a
  // batch, the same element of each of its rows. A pass creates only the weights that it needs.
  std::vector<Gradient> gradients_of_elements(const Tensor& target, bool batch,
                                              std::span<const uint64_t> sources);

  // Whether the tape watches a tensor or variable.
  bool knows(uint64_t id) const { return entries_.find(id) != 0; }
  // The tape's entry of a tensor or variable, or 0.
  uint32_t entry(uint64_t id) const { return entries_.find(id); }
  bool differentiates(DType dtype) const {
    return is_differentiable(dtype) || (options_.integers && is_integer(dtype));
  }
  std::span<Variable* const> watched_variables() const { return variables_; }

 private:
  ~Tape();
  uint32_t entry_of(uint64_t id);
  // A new entry for an operation's result, even if that identity already had one.
  uint32_t fresh_entry(uint64_t id);
  // Applies if the last two records are an activation and a max pooling of its large result. When
  // nobody else has a handle on that result, the records keep the pooling's result and the winners'
  // indices instead: the activation's slopes are needed only at the winners, and follow from the
  // pooling's result.
  void pool_first();
  int64_t rows_at_once() const;
  std::vector<Gradient> gradients_in_passes(
      const Tensor& target, int64_t count, std::span<const uint64_t> sources,
      const std::function<Tensor(int64_t begin, int64_t rows)>& weights);

  std::atomic<uint32_t> refs_{1};
  Options options_;
  IdMap entries_;             // identity → entry; several identities may share an entry
  uint32_t entry_count_ = 1;  // entry 0 means "not watched"
  std::vector<Record*> records_;
  Reached reached_;
  bool may_pool_first_ = false;       // whether pool_first() has to check
  int passes_ = 0;                    // backward passes in progress
  std::vector<Variable*> variables_;  // counted references
};

// A counted reference to a tape; may be empty.
class TapeRef {
 public:
  TapeRef() = default;
  explicit TapeRef(Tape::Options options) : tape_(new Tape(options)) {}
  TapeRef(const TapeRef& other) : tape_(other.tape_) {
    if (tape_) tape_->retain();
  }
  TapeRef(TapeRef&& other) noexcept : tape_(std::exchange(other.tape_, nullptr)) {}
  TapeRef& operator=(TapeRef other) noexcept {
    std::swap(tape_, other.tape_);
    return *this;
  }
  ~TapeRef() {
    if (tape_) tape_->release();
  }
  Tape* get() const { return tape_; }
  Tape* operator->() const { return tape_; }
  explicit operator bool() const { return tape_ != nullptr; }

 private:
  Tape* tape_ = nullptr;
};

// The tapes of this thread that record now, outermost first.
std::span<Tape* const> active_tapes();
inline bool recording() { return !active_tapes().empty(); }
void push_tape(Tape* tape);  // the stack holds a reference
void pop_tape(Tape* tape);   // from any position of the stack; does nothing if it is absent

// During its lifetime, this thread records on a tape.
class RecordingOn {
 public:
  explicit RecordingOn(Tape* tape) : tape_(tape) { push_tape(tape_); }
  ~RecordingOn() { pop_tape(tape_); }
  RecordingOn(const RecordingOn&) = delete;
  RecordingOn& operator=(const RecordingOn&) = delete;

 private:
  Tape* const tape_;
};

// During its lifetime, pauses the current tapes of this thread; tapes that begin later record.
class StopRecording {
 public:
  StopRecording();
  ~StopRecording();
  StopRecording(const StopRecording&) = delete;
  StopRecording& operator=(const StopRecording&) = delete;
};
void pause_recording();
void resume_recording();

// The tapes that record at its construction. Between `begin` and `end`, only these tapes record,
// whether they are still active or not.
class RecordingTapes {
 public:
  RecordingTapes();
  ~RecordingTapes();
  RecordingTapes(const RecordingTapes&) = delete;
  RecordingTapes& operator=(const RecordingTapes&) = delete;
  void begin() const;
  void end() const;

 private:
  std::vector<Tape*> tapes_;  // counted references, outermost first
};

// Records a call on all active tapes.
void record_on_tapes(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                     std::span<const Tensor> outputs);

// A gradient in dense form.
Tensor densify(const Gradient& gradient);

}  // namespace ef
