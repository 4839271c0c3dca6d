// Nodes that run a graph for many rows at once.
#include "graph/rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "eager/batched.h"
#include "graph/record.h"
#include "ops/array.h"
#include "ops/compose.h"

namespace ef::graph {
namespace {

// The limit of what all rows of one tensor take: beyond it, many rows at once save no time and
// cost memory.
constexpr int64_t kRowsBytes = int64_t{32} << 20;

class Rows final : public NodeFunction {
 public:
  explicit Rows(CallablePtr callee) : callee_(std::move(callee)) {}

  const char* type() const override { return "RowsOf"; }
  bool has_effects() const override { return callee_->has_effects(); }
  bool needs_host() const override { return callee_->needs_host(); }
  std::vector<const Graph*> graphs() const override { return {&callee_->graph()}; }
  std::vector<Variable*> reads() const override { return callee_->connections().variables; }
  bool connects(size_t source) const override { return callee_->connections().connected[source]; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    const Tensor& rows = inputs[0];
    const int64_t count = rows.dim(0);
    const int64_t at_once = std::max<int64_t>(1, kRowsBytes / largest(inputs));
    std::vector<TensorList> parts(callee_->graph().outputs().size());
    // No rows, too, are run once, for the shapes.
    for (int64_t begin = 0; begin < std::max<int64_t>(count, 1); begin += at_once) {
      Shape shape = rows.shape();
      shape[0] = std::min(at_once, count - begin);
      const Tensor chunk = shape == rows.shape() ? rows : part(rows, begin, shape);
      const TensorList results = count ? run_rows(chunk, inputs) : run_one(rows, inputs);
      for (size_t k = 0; k < parts.size(); ++k) {
        parts[k].push_back(count ? as_rows(results[k], shape[0]) : none_of(results[k]));
      }
    }
    for (const TensorList& list : parts) {
      outputs.push_back(list.size() == 1 ? list[0]
                                         : call(ops::concat, list, ops::ConcatAttrs{.axis = 0}));
    }
  }

 private:
  TensorList run_on(const Tensor& row, std::span<const Tensor> inputs) const {
    TensorList arguments(inputs), results;
    arguments[0] = row;
    callee_->plan().run(arguments, results);
    return results;
  }
  TensorList run_rows(const Tensor& rows, std::span<const Tensor> inputs) const {
    if (rows.dim(0) > 1) return run_on(batched(rows), inputs);
    // A single row needs no axis, and may have the largest rank.
    Shape shape = rows.shape();
    shape.erase(0);
    TensorList results = run_on(reshape_to(rows, shape), inputs);
    for (Tensor& result : results) {
      Shape with_axis = result.shape();
      with_axis.insert(0, 1);
      result = reshape_to(result, with_axis);
    }
    return results;
  }
  TensorList run_one(const Tensor& rows, std::span<const Tensor> inputs) const {
    Shape shape = rows.shape();
    shape.erase(0);
    return run_on(zeros(rows.dtype(), shape), inputs);
  }

  static Tensor none_of(const Tensor& result) {
    Shape shape = result.shape();
    shape.insert(0, 0);
    return zeros(result.dtype(), shape);
  }
  static Tensor part(const Tensor& rows, int64_t begin, const Shape& shape) {
    Shape first = shape;
    for (int i = 0; i < first.rank(); ++i) first[i] = 0;
    first[0] = begin;
    return call(ops::slice, {rows}, ops::SliceAttrs{.begin = Ints(first), .size = Ints(shape)});
  }
  static int64_t largest(std::span<const Tensor> inputs) {
    int64_t bytes = inputs[0].bytes() / std::max<int64_t>(inputs[0].dim(0), 1);
    for (const Tensor& input : inputs.subspan(1)) {
      if (input.dtype() != DType::kInvalid) bytes = std::max(bytes, input.bytes());
    }
    return std::max<int64_t>(bytes, 1);
  }

  CallablePtr callee_;
};

}  // namespace

TensorList add_rows(Graph& graph, const CallablePtr& callee, const Tensor& rows) {
  SpecList specs;
  for (const Tensor& output : callee->graph().outputs()) {
    Shape shape = output.shape();
    if (shape.ranked()) shape.insert(0, rows.shape().ranked() ? rows.dim(0) : kUnknownSize);
    specs.push_back({output.dtype(), shape});
  }
  TensorList inputs{rows};
  append_captures(callee->graph(), inputs);
  return add_function(graph, std::make_shared<Rows>(callee), inputs, specs, "RowsOf");
}

}  // namespace ef::graph
