// The backward pass: from targets to sources through the records, newest first.
#include <algorithm>
#include <utility>

#include "eager/dispatch.h"
#include "eager/record.h"
#include "eager/tape.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace ef {
namespace {

// The gradient collected for one entry. Sparse parts are rare and live on the side.
struct Collected {
  Tensor dense;
  std::unique_ptr<Gradient> sparse;

  explicit operator bool() const { return dense || sparse; }

  void add(Gradient more) {
    if (!*this) {
      if (more.sparse()) {
        sparse = std::make_unique<Gradient>(std::move(more));
      } else {
        dense = std::move(more.values);
      }
      return;
    }
    Gradient sum = take();
    accumulate(sum, std::move(more));
    *this = {};
    add(std::move(sum));
  }

  Gradient take() {
    if (sparse) return std::move(*std::exchange(sparse, nullptr));
    Gradient gradient;
    gradient.values = std::move(dense);
    return gradient;
  }

  Gradient copy() const {
    if (sparse) return *sparse;
    Gradient gradient;
    gradient.values = dense;
    return gradient;
  }

  // The dense gradient; what was sparse is dense afterwards.
  const Tensor& densified() {
    if (sparse) {
      dense = densify(*sparse);
      sparse.reset();
    }
    return dense;
  }
};

// Lets a table gradient see its record.
class RecordGradContext final : public GradContext {
 public:
  RecordGradContext(Record& record, const std::vector<char>& needed, std::span<Tensor> dy,
                    std::vector<Collected>& collected)
      : record_(record), needed_(needed), dy_(dy), collected_(collected) {}

  const Tensor& input(int i) const override { return checked(record_.input(i), "input", i); }
  const Tensor& output(int j) const override { return checked(record_.output(j), "output", j); }
  const Shape& input_shape(int i) const override { return shape_of(record_.input(i)); }
  DType input_dtype(int i) const override { return record_.input(i).dtype; }
  const Shape& output_shape(int j) const override { return shape_of(record_.output(j)); }
  int num_inputs() const override { return static_cast<int>(record_.num_inputs); }
  int num_outputs() const override { return static_cast<int>(record_.num_outputs); }
  const Attrs& attrs() const override {
    static const Attrs none{};
    return record_.attrs ? *record_.attrs : none;
  }
  Tensor dy(int j) const override {
    Tensor& gradient = dy_[j];
    if (!gradient) {
      const Record::Slot& slot = record_.output(j);
      gradient = zeros(slot.dtype, record_.shape(slot));
    }
    return gradient;
  }
  Tensor take_dy(int j) const override {
    dy(j);
    return std::move(dy_[j]);
  }
  bool has_dy(int j) const override { return static_cast<bool>(dy_[j]); }
  bool wants(int i) const override {
    const uint32_t entry = record_.input(i).entry;
    return entry != 0 && needed_[entry];
  }
  void set(int i, Tensor gradient) override {
    if (!wants(i) || !gradient) return;
    Gradient more;
    more.values = std::move(gradient);
    collected_[record_.input(i).entry].add(std::move(more));
  }
  void set_sparse(int i, Tensor values, Tensor indices, const Shape& dense_shape) override {
    if (!wants(i)) return;
    Gradient more;
    more.values = std::move(values);
    more.indices = std::move(indices);
    more.dense_shape = dense_shape;
    collected_[record_.input(i).entry].add(std::move(more));
  }

 private:
  const Tensor& checked(const Record::Slot& slot, const char* what, int k) const {
    if (!slot.value) {
      fail(Code::kInternal, "The gradient of ", record_.op->tf_name, " reads ", what, " ", k,
           ", which its table entry does not list among its needs.");
    }
    return slot.value;
  }

  // Shapes are asked for by reference; a handful of recent ones is enough for any gradient.
  const Shape& shape_of(const Record::Slot& slot) const {
    Shape& shape = shapes_[next_shape_++ % kShapes];
    shape = record_.shape(slot);
    return shape;
  }

  static constexpr int kShapes = 8;
  Record& record_;
  const std::vector<char>& needed_;
  std::span<Tensor> dy_;
  std::vector<Collected>& collected_;
  mutable Shape shapes_[kShapes];
  mutable unsigned next_shape_ = 0;
};

void run_custom(Record& record, std::span<Tensor> dy, const std::vector<char>& needed,
                std::vector<Collected>& collected) {
  for (size_t j = 0; j < record.num_outputs; ++j) {
    const Record::Slot& slot = record.output(j);
    if (!dy[j]) dy[j] = zeros(slot.dtype, record.shape(slot));
  }
  std::vector<Gradient> gradients = record.backward->run(dy);
  for (size_t i = 0; i < std::min<size_t>(gradients.size(), record.num_inputs); ++i) {
    const uint32_t entry = record.input(i).entry;
    if (entry && needed[entry] && gradients[i]) collected[entry].add(std::move(gradients[i]));
  }
}

}  // namespace

std::vector<Gradient> Tape::gradient(std::span<const Tensor> targets,
                                     std::span<const Tensor> output_gradients,
                                     std::span<const uint64_t> sources) {
  // Records made from here on (by a persistent tape that still runs) are not part of this pass.
  const size_t record_count = records_.size();
  const uint32_t entry_count = entry_count_;

  // Which entries depend on a source.
  std::vector<char> needed(entry_count, 0);
  std::vector<char> is_source(entry_count, 0);
  for (uint64_t id : sources) {
    const uint32_t entry = entries_.find(id);
    if (entry) needed[entry] = is_source[entry] = 1;
  }
  std::vector<char> on_path(record_count, 0);
  for (size_t r = 0; r < record_count; ++r) {
    Record& record = *records_[r];
    for (size_t i = 0; i < record.num_inputs && !on_path[r]; ++i) {
      const uint32_t entry = record.input(i).entry;
      on_path[r] = entry && needed[entry];
    }
    if (!on_path[r]) continue;
    for (size_t j = 0; j < record.num_outputs; ++j) {
      if (const uint32_t entry = record.output(j).entry) needed[entry] = 1;
    }
  }

  std::vector<Collected> collected(entry_count);
  for (size_t t = 0; t < targets.size(); ++t) {
    const uint64_t id = targets[t].impl()->id_or_zero();
    const uint32_t entry = id ? entries_.find(id) : 0;
    if (entry == 0 || entry >= entry_count || !needed[entry]) continue;
    Gradient seed;
    seed.values = t < output_gradients.size() && output_gradients[t]
                      ? output_gradients[t]
                      : ones(targets[t].dtype(), targets[t].shape());
    collected[entry].add(std::move(seed));
  }

  InlineVector<Tensor, 4> dy;
  for (size_t r = record_count; r-- > 0;) {
    Record& record = *records_[r];
    bool reached = false;
    if (on_path[r]) {
      dy.clear();
      for (size_t j = 0; j < record.num_outputs; ++j) {
        const uint32_t entry = record.output(j).entry;
        Tensor& gradient = dy.emplace_back();
        if (!entry || !collected[entry]) continue;
        reached = true;
        gradient = collected[entry].densified();
        if (!is_source[entry]) collected[entry] = {};
      }
    }
    if (reached) {
      if (record.op) {
        RecordGradContext context(record, needed, dy, collected);
        record.op->gradient(context);
      } else {
        run_custom(record, dy, needed, collected);
      }
    }
    if (!persistent_) {
      Record::destroy(&record);
      records_.pop_back();
    }
  }

  std::vector<Gradient> results;
  results.reserve(sources.size());
  for (uint64_t id : sources) {
    const uint32_t entry = entries_.find(id);
    results.push_back(entry && entry < entry_count ? collected[entry].copy() : Gradient{});
  }
  return results;
}

Tensor densify(const Gradient& gradient) {
  if (!gradient.sparse()) return gradient.values;
  const Shape& shape = gradient.dense_shape;
  return call(ops::unsorted_segment_sum, {gradient.values, gradient.indices},
              Attrs().integer(shape[0]));
}

void accumulate(Gradient& sum, Gradient more) {
  if (sum.sparse() && more.sparse() && sum.indices.dtype() == more.indices.dtype()) {
    sum.values = call(ops::concat, {sum.values, more.values}, Attrs().integer(0));
    sum.indices = call(ops::concat, {sum.indices, more.indices}, Attrs().integer(0));
    return;
  }
  if (sum.sparse()) std::swap(sum, more);
  Tensor values = densify(more);
  if (sum.sparse()) sum = Gradient{densify(sum), {}, {}};
  sum.values = call_reusing(ops::add, std::move(sum.values), std::move(values));
}

}  // namespace ef
