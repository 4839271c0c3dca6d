// The backward pass: from targets to sources through the records, newest first.
#include <algorithm>
#include <utility>

#include "eager/dispatch.h"
#include "eager/record.h"
#include "eager/tape.h"
#include "kernels/cpu/array.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace ef {
namespace {

// The gradient collected for one entry: a dense part, and sparse parts, which are rare.
struct Collected {
  Tensor dense;
  std::unique_ptr<std::vector<Gradient>> sparse;

  explicit operator bool() const { return dense || sparse; }

  void add(Gradient more) {
    if (!more.sparse()) return add(std::move(more.values));
    if (!sparse) sparse = std::make_unique<std::vector<Gradient>>();
    sparse->push_back(std::move(more));
  }
  void add(Tensor more) {
    dense = dense ? call_reusing(ops::add, std::move(dense), more) : std::move(more);
  }
  void add_slice(const Shape& whole, const Tensor& values, const Attrs& slice) {
    if (dense && dense.exclusively_owned() && !recording()) {
      values.impl()->settle();
      cpu::add_to_slice(dense, values, slice);
      dense.impl()->reset_id();  // tapes know the old value
      return;
    }
    add(call(ops::strided_slice_grad, {values}, with_shape(whole, slice)));
  }

  // The sum; sparse only if all parts are.
  Gradient sum() {
    if (!sparse) return {.values = dense, .indices = {}, .dense_shape = {}};
    if (dense) return {.values = densified(), .indices = {}, .dense_shape = {}};
    if (sparse->size() > 1) {
      Gradient joined = concat_slices(*sparse);
      sparse->assign(1, std::move(joined));
    }
    return sparse->front();
  }

  // The dense gradient; what was sparse is dense afterwards.
  const Tensor& densified() {
    if (sparse) {
      const auto parts = std::exchange(sparse, nullptr);
      add(densify(parts->size() > 1 ? concat_slices(*parts) : parts->front()));
    }
    return dense;
  }

 private:
  static Attrs with_shape(const Shape& shape, const Attrs& slice) {
    Attrs attrs;
    attrs.list(shape);
    for (int k = 0; k < 3; ++k) attrs.list(slice.list(k));
    for (int k = 3; k < 8; ++k) attrs.integer(slice.integer(k));
    return attrs;
  }

  // Parts of one tensor as one; their indices may differ in dtype.
  static Gradient concat_slices(const std::vector<Gradient>& parts) {
    bool same = true;
    for (const Gradient& part : parts) same &= part.indices.dtype() == parts[0].indices.dtype();
    std::vector<Tensor> values;
    std::vector<Tensor> indices;
    for (const Gradient& part : parts) {
      values.push_back(part.values);
      indices.push_back(same ? part.indices : cast_to(part.indices, DType::kInt64));
    }
    return {.values = call(ops::concat, values, Attrs().integer(0)),
            .indices = call(ops::concat, indices, Attrs().integer(0)),
            .dense_shape = parts[0].dense_shape};
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
    collected_[record_.input(i).entry].add(std::move(gradient));
  }
  void set_sparse(int i, Tensor values, Tensor indices, const Shape& dense_shape) override {
    if (!wants(i)) return;
    collected_[record_.input(i).entry].add(
        Gradient{std::move(values), std::move(indices), dense_shape});
  }
  void set_slice(int i, Tensor values, const Attrs& slice) override {
    if (!wants(i)) return;
    collected_[record_.input(i).entry].add_slice(input_shape(i), values, slice);
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
    collected[entry].add(t < output_gradients.size() && output_gradients[t]
                             ? output_gradients[t]
                             : ones(targets[t].dtype(), targets[t].shape()));
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
    results.push_back(entry && entry < entry_count ? collected[entry].sum() : Gradient{});
  }
  return results;
}

Tensor densify(const Gradient& gradient) {
  if (!gradient.sparse()) return gradient.values;
  const Shape& shape = gradient.dense_shape;
  return call(ops::unsorted_segment_sum, {gradient.values, gradient.indices},
              Attrs().integer(shape[0]));
}

}  // namespace ef
