// Records of activations whose results are pooled.
#include "patterns/pooled_activations.h"
#include "eager/dispatch.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/record.h"
#include "eager/tape.h"
#include "graph/record.h"
#include "ops/pooling.h"

namespace ef {
namespace {

// The backward step of a pooling whose input has been freed.
class PoolingStep final : public BackwardFunction {
 public:
  PoolingStep(Tensor winners, ops::SpreadAttrs attrs)
      : winners_(std::move(winners)), attrs_(std::move(attrs)) {}

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char>) override {
    Tensor gradient = call(ops::spread_to_winners, {dy[0], winners_}, attrs_);
    std::vector<Gradient> gradients(1);
    gradients[0].values = std::move(gradient);
    return gradients;
  }

 private:
  const Tensor winners_;
  const ops::SpreadAttrs attrs_;
};

}  // namespace

void Tape::pool_first() {
  const size_t count = records_.size();
  if (count < 2 || passes_ > 0 || options_.forward || !observers.empty() || !fuses()) return;
  if (graph::building()) return;
  Tensor x, y;
  {
    Record &activation = *records_[count - 2], &pooling = *records_[count - 1];
    if (pooling.op != &ops::max_pool || !patterns::has_flat_parts(activation.op)) return;
    x = pooling.input(0).value;
    y = pooling.output(0).value;
    const bool follows = pooling.input(0).entry == activation.output(0).entry &&
                         x.impl() == activation.output(0).value.impl();
    if (!follows) return;
  }
  const AttrsRef pool = records_.back()->attrs;
  if (x.impl()->lazy() || y.impl()->lazy()) return;
  if (!patterns::saves_image(x.dtype(), x.shape(), pool)) return;
  // The handles that the records and this function have.
  constexpr uint32_t kOwn = 3;
  const auto alone = [&] {
    return records_.size() == count && x.impl()->handles() == kOwn && x.impl()->buffer()->unique();
  };
  if (!alone()) return;
  ops::SpreadAttrs attrs{x.dim(1), x.dim(2), pool.as<ops::PoolAttrs>()};
  Tensor winners = call(ops::max_pool_winners, {x, y}, attrs.pool);
  if (!alone()) return;  // a signal handler has run

  const auto rank = static_cast<size_t>(y.rank());
  Record &activation = *records_[count - 2], &pooling = *records_[count - 1];
  // The entry of the activation's result now belongs to another tensor.
  const uint32_t between = entry_count_++;
  Record* const first = Record::create(1, 1, rank);
  first->backward = std::make_shared<PoolingStep>(std::move(winners), std::move(attrs));
  int64_t* dims = first->dims();
  first->input(0).entry = activation.input(0).entry;
  first->fill(first->output(0), dims, y, false);
  first->output(0).entry = between;
  Record* const second = Record::create(1, 1, 2 * rank);
  second->op = activation.op;
  second->attrs = activation.attrs;
  dims = second->dims();
  second->fill(second->input(0), dims, y, false);
  second->input(0).entry = between;
  second->fill(second->output(0), dims, y, true);
  second->output(0).entry = pooling.output(0).entry;
  Record::destroy(std::exchange(records_[count - 2], first));
  Record::destroy(std::exchange(records_[count - 1], second));
  may_pool_first_ = false;
}

}  // namespace ef
