// Comparisons whose shapes may turn out not to broadcast.
#include "graph/equality.h"

#include <algorithm>
#include <memory>

#include "graph/record.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/infer_context.h"
#include "ops/op.h"

namespace ef::graph {
namespace {

// Whether shapes certainly broadcast. Two axes do if their sizes are known, or if one
// is 1.
bool surely_broadcast(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked()) {
    return (a.ranked() && a.rank() == 0) || (b.ranked() && b.rank() == 0);
  }
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t one = a[a.rank() - i], other = b[b.rank() - i];
    if (one != 1 && other != 1 && (one == kUnknownSize || other == kUnknownSize)) return false;
  }
  return true;
}

// Whether a size above 1 meets one that is unknown: as in TensorFlow, the result may be a scalar.
// Two unknown sizes are taken to be equal.
bool may_differ(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked()) return true;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t one = a[a.rank() - i], other = b[b.rank() - i];
    if ((one == kUnknownSize && other > 1) || (other == kUnknownSize && one > 1)) return true;
  }
  return false;
}

class Equality final : public NodeFunction {
 public:
  explicit Equality(bool equal) : equal_(equal) {}

  const char* type() const override { return equal_ ? "Equal" : "NotEqual"; }
  bool needs_host() const override { return false; }
  bool connects(size_t) const override { return false; }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    outputs.push_back(equality(inputs[0], inputs[1], equal_));
  }

 private:
  bool equal_;
};

}  // namespace

Tensor equality(const Tensor& a, const Tensor& b, bool equal) {
  Shape shape;
  if (!broadcast_shapes(a.shape(), b.shape(), &shape)) {
    return Tensor::scalar(DType::kBool, !equal);
  }
  const Op& op = equal ? ops::equal : ops::not_equal;
  Graph* const graph = building();
  if (!graph || surely_broadcast(a.shape(), b.shape())) return call(op, {a, b});
  const Tensor inputs[] = {a, b};
  SpecList specs = infer(op, inputs, AttrsRef(), true);  // which also checks the dtypes
  if (may_differ(a.shape(), b.shape())) specs[0].shape = Shape::unranked();
  return add_function(*graph, std::make_shared<Equality>(equal), inputs, specs, op.tf_name)[0];
}

}  // namespace ef::graph
