// The backward pass: from targets to sources through the records, newest first.
#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "eager/batched.h"
#include "eager/dispatch.h"
#include "eager/lazy.h"
#include "eager/part_sums.h"
#include "eager/profile.h"
#include "eager/record.h"
#include "eager/tape.h"
#include "kernels/cpu/array.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/tensor_lists.h"
#include "ops/variants.h"

namespace ef {
namespace {

// Products aᴴ b of few rows, which are computed as one product of all rows: a matrix that a loop
// uses in each step gets its gradient without as many sums of its size.
struct Products {
  TensorList left;   // [rows, m] each
  TensorList right;  // [rows, n] each
  int64_t elements = 0;

  static bool suits(const Tensor& a, const Tensor& b) {
    if (!a.shape().fully_known() || !b.shape().fully_known() || is_batched(a) || is_batched(b)) {
      return false;
    }
    return 2 * a.dim(0) * (a.dim(1) + b.dim(1)) <= a.dim(1) * b.dim(1);
  }
  // They keep their factors in memory.
  bool are_many() const { return elements > 4 * left[0].dim(1) * right[0].dim(1); }
  void add(const Tensor& a, const Tensor& b) {
    left.push_back(a);
    right.push_back(b);
    elements += a.size() + b.size();
  }
  Tensor sum() const {
    const auto all = [](const TensorList& rows) {
      return rows.size() == 1 ? rows[0] : call(ops::concat, rows, ops::ConcatAttrs{.axis = 0});
    };
    return ops::adjoint_product(all(left), all(right));
  }
};

// The gradient collected for one entry: a dense part, and sparse parts and products, which are
// rare. In a graph whose nodes are named as TensorFlow's, further dense parts wait for one sum.
struct Collected {
  Tensor dense;
  std::unique_ptr<std::vector<Gradient>> sparse;
  std::unique_ptr<Products> products;
  std::unique_ptr<TensorList> terms;  // those that wait; null if none do

  explicit operator bool() const { return dense || sparse || products; }

  void add(Gradient more) {
    if (!more.sparse()) return add(std::move(more.values));
    if (!sparse) sparse = std::make_unique<std::vector<Gradient>>();
    sparse->push_back(std::move(more));
  }
  void add(Tensor more) {
    if (!dense) {
      dense = std::move(more);
    } else if (terms && more.dtype() != DType::kVariant) {
      terms->push_back(std::move(more));
    } else if (more.dtype() == DType::kVariant) {
      Tensor parts[] = {std::move(dense), std::move(more)};
      TensorList sum;
      run_consuming(ops::variant_add, parts, {}, sum);
      dense = std::move(sum[0]);
    } else {
      dense = call_reusing(ops::add, std::move(dense), more);
    }
  }
  // Adds aᴴ b; `more` says that others may follow.
  void add_product(const Tensor& a, const Tensor& b, bool more) {
    if (!more || !Products::suits(a, b)) return add(ops::adjoint_product(a, b));
    if (!products) products = std::make_unique<Products>();
    products->add(a, b);
    if (products->are_many()) multiply();
  }
  // Adds the result of an operation that is zero except for a part, with attributes of this type.
  template <class GradAttrs, class Attrs, class... Inputs>
  void add_part(const Op& op, const Shape& whole, const Attrs& attrs, const Inputs&... inputs) {
    if constexpr (std::is_same_v<Attrs, ops::StridedSliceAttrs>) {
      const Tensor rows = rows_of(inputs...);
      if (rows && add_slice_of_rows(rows, attrs)) return;
    }
    if (ef::add_part(dense, attrs, inputs...)) return;
    auto waiting = std::exchange(terms, nullptr);  // graphs add parts in place
    add(call(op, {inputs...}, GradAttrs{whole, attrs}));
    terms = std::move(waiting);
  }

  // The same for all batched rows at once, if they may be written.
  bool add_slice_of_rows(const Tensor& values, const ops::StridedSliceAttrs& slice) {
    if (!dense || recording()) return false;
    Tensor rows = rows_of(dense);
    if (!rows) return false;
    dense = {};  // so that this is the only handle
    const bool writable = rows.exclusively_owned();
    if (writable) {
      values.impl()->settle();
      const FlushSubnormals flush;
      cpu::add_to_slice(rows, values, slice_of_rows(slice));
      rows.impl()->reset_id();
    }
    dense = batched(std::move(rows));
    return writable;
  }

  // The sum; sparse only if all parts are.
  Gradient sum() {
    multiply();
    if (!sparse) return {.values = dense, .indices = {}, .dense_shape = {}};
    if (dense) return {.values = densified(), .indices = {}, .dense_shape = {}};
    if (sparse->size() > 1) {
      Gradient joined = concat_slices(*sparse);
      sparse->assign(1, std::move(joined));
    }
    return sparse->front();
  }

  // The dense gradient; sparse parts are converted.
  const Tensor& densified() {
    multiply();
    if (sparse) {
      const auto parts = std::exchange(sparse, nullptr);
      add(densify(parts->size() > 1 ? concat_slices(*parts) : parts->front()));
    }
    return dense;
  }

 private:
  void multiply() {
    if (const auto found = std::exchange(products, nullptr)) add(found->sum());
    if (!terms || terms->empty()) return;
    TensorList all;
    all.push_back(std::move(dense));
    for (Tensor& term : *terms) all.push_back(std::move(term));
    terms->clear();
    dense = call(ops::add_n, all);
  }
  // Joins parts of one tensor, whose indices may differ in dtype.
  static Gradient concat_slices(const std::vector<Gradient>& parts) {
    bool same = true;
    for (const Gradient& part : parts) same &= part.indices.dtype() == parts[0].indices.dtype();
    std::vector<Tensor> values;
    std::vector<Tensor> indices;
    for (const Gradient& part : parts) {
      values.push_back(part.values);
      indices.push_back(same ? part.indices : cast_to(part.indices, DType::kInt64));
    }
    return {.values = call(ops::concat, values, ops::ConcatAttrs{.axis = 0}),
            .indices = call(ops::concat, indices, ops::ConcatAttrs{.axis = 0}),
            .dense_shape = parts[0].dense_shape};
  }
};

// `needed` of an entry is 0, or 1 and the number of records that read it; of many, one more than
// this.
constexpr char kOneReader = 2;

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
  AttrsRef attrs() const override { return record_.attrs; }
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
  void set_product(int i, const Tensor& a, const Tensor& b) override {
    if (!wants(i)) return;
    const uint32_t entry = record_.input(i).entry;
    collected_[entry].add_product(a, b, needed_[entry] > kOneReader);
  }
  void set_slice(int i, Tensor values, AttrsRef slice) override {
    set_part<ops::StridedSliceGradAttrs>(i, ops::strided_slice_grad,
                                         slice.as<ops::StridedSliceAttrs>(), values);
  }
  void set_gathered(int i, Tensor values, const Tensor& indices, AttrsRef gather) override {
    ops::with_gradient_of_gather(gather, [&]<class GradAttrs>(const Op& op, const auto& attrs) {
      set_part<GradAttrs>(i, op, attrs, values, indices);
    });
  }

 private:
  template <class GradAttrs, class Attrs, class... Inputs>
  void set_part(int i, const Op& op, const Attrs& attrs, const Inputs&... inputs) {
    if (!wants(i)) return;
    Collected& sum = collected_[record_.input(i).entry];
    sum.add_part<GradAttrs>(op, input_shape(i), attrs, inputs...);
  }
  const Tensor& checked(const Record::Slot& slot, const char* what, int k) const {
    if (!slot.value) {
      fail(Code::kInternal, "The gradient of ", record_.op->tf_name, " reads ", what, " ", k,
           ", which its table entry does not list among its needs.");
    }
    return slot.value;
  }

  // Shapes are returned by reference; a few recent ones are enough for any gradient.
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

// A backward function processes one row at a time.
std::vector<Gradient> run_backward(BackwardFunction& backward, std::span<const Tensor> dy,
                                   std::span<const char> wanted) {
  int64_t count = -1;
  for (const Tensor& gradient : dy) {
    if (!gradient) continue;
    if (const Tensor rows = rows_of(gradient)) count = rows.dim(0);
  }
  if (count < 0) return backward.run(dy, wanted);
  std::vector<TensorList> by_output(dy.size());
  for (size_t j = 0; j < dy.size(); ++j) {
    if (!dy[j]) {
      by_output[j].resize(static_cast<size_t>(count));
      continue;
    }
    const Tensor rows = as_rows(dy[j], count);
    run(ops::unstack, {&rows, 1}, ops::UnstackAttrs{}, by_output[j]);
  }
  std::vector<TensorList> by_input;
  for (int64_t row = 0; row < count; ++row) {
    TensorList one;
    for (TensorList& rows : by_output) one.push_back(rows[static_cast<size_t>(row)]);
    std::vector<Gradient> gradients = backward.run(one, wanted);
    by_input.resize(std::max(by_input.size(), gradients.size()));
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i]) by_input[i].push_back(densify(gradients[i]));
    }
  }
  std::vector<Gradient> results(by_input.size());
  for (size_t i = 0; i < by_input.size(); ++i) {
    // A function that omits a gradient does so for every row.
    if (static_cast<int64_t>(by_input[i].size()) != count) continue;
    results[i].values = batched(call(ops::stack, by_input[i], ops::StackAttrs{}));
  }
  return results;
}

void run_custom(Record& record, std::span<Tensor> dy, const std::vector<char>& needed,
                std::vector<Collected>& collected) {
  for (size_t j = 0; j < record.num_outputs; ++j) {
    const Record::Slot& slot = record.output(j);
    if (!dy[j] && !record.backward->takes_missing()) {
      dy[j] = zeros(slot.dtype, record.shape(slot));
    }
  }
  std::vector<char> wanted(record.num_inputs);
  for (size_t i = 0; i < record.num_inputs; ++i) {
    const uint32_t entry = record.input(i).entry;
    wanted[i] = entry && needed[entry];
  }
  std::vector<Gradient> gradients = run_backward(*record.backward, dy, wanted);
  for (size_t i = 0; i < std::min<size_t>(gradients.size(), record.num_inputs); ++i) {
    if (wanted[i] && gradients[i]) collected[record.input(i).entry].add(std::move(gradients[i]));
  }
}

// Adds the inputs of a record of connections if one of its outputs has a gradient.
void add_connected(Record& record, const std::vector<char>& needed,
                   const std::vector<Collected>& collected,
                   std::unordered_map<uint32_t, TensorSpec>& connected) {
  bool reached = false;
  for (size_t j = 0; j < record.num_outputs; ++j) {
    const uint32_t entry = record.output(j).entry;
    reached |= entry && (collected[entry] || connected.contains(entry));
  }
  if (!reached) return;
  for (size_t i = 0; i < record.num_inputs; ++i) {
    const Record::Slot& slot = record.input(i);
    if (needed[slot.entry]) connected.try_emplace(slot.entry, slot.dtype, record.shape(slot));
  }
}

// By record, the sources of which it is the oldest user, and so the last that adds to the gradient.
std::vector<std::vector<size_t>> last_uses(const std::vector<Record*>& records, size_t count,
                                           const std::vector<char>& on_path,
                                           std::span<const uint64_t> sources,
                                           const IdMap& entries) {
  std::unordered_map<uint32_t, size_t> source_of;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (const uint32_t entry = entries.find(sources[s])) source_of.emplace(entry, s);
  }
  std::vector<std::vector<size_t>> uses(count);
  for (size_t r = 0; r < count; ++r) {
    if (!on_path[r]) continue;
    for (size_t i = 0; i < records[r]->num_inputs; ++i) {
      const auto found = source_of.find(records[r]->input(i).entry);
      if (found == source_of.end()) continue;
      uses[r].push_back(found->second);
      source_of.erase(found);
    }
  }
  return uses;
}

// The start of the rows from `row` on, in a tensor with the axes of `shape`.
Shape first_of(int64_t row, const Shape& shape) {
  Shape begin = shape;
  for (int i = 0; i < begin.rank(); ++i) begin[i] = 0;
  begin[0] = row;
  return begin;
}

}  // namespace

std::vector<Gradient> gradients_of_call(Record& record, std::span<Tensor> dy) {
  const size_t count = record.num_inputs + 1;
  std::vector<Collected> collected(count);
  const std::vector<char> needed(count, 1);
  RecordGradContext context(record, needed, dy, collected);
  record.op->gradient(context);
  std::vector<Gradient> gradients;
  for (size_t i = 1; i < count; ++i) gradients.push_back(collected[i].sum());
  return gradients;
}

std::vector<Gradient> Tape::gradient(std::span<const Tensor> targets,
                                     std::span<const Tensor> output_gradients,
                                     std::span<const uint64_t> sources, const Finished& finished) {
  InlineVector<uint64_t, 8> ids;
  InlineVector<Tensor, 4> weights;
  for (size_t t = 0; t < targets.size(); ++t) {
    const uint64_t id = targets[t].impl()->id_or_zero();
    if (!id || !entries_.find(id)) continue;
    if (targets[t].dtype() == DType::kString) continue;  // strings have no gradient
    ids.push_back(id);
    weights.push_back(t < output_gradients.size() && output_gradients[t] ? output_gradients[t]
                                                                         : ones_like(targets[t]));
  }
  return gradient(std::span<const uint64_t>(ids), weights, sources, finished);
}

std::vector<Gradient> Tape::gradient(std::span<const uint64_t> targets,
                                     std::span<const Tensor> weights,
                                     std::span<const uint64_t> sources, const Finished& finished) {
  // Records made from here on are not part of this pass: what it runs may make some, and so may a
  // thread that still records. A pass that frees its records takes them from the tape, unless
  // another goes through them.
  const uint32_t entry_count = entry_count_;
  const bool frees = !persistent() && passes_ == 0;
  std::vector<Record*> taken;
  if (frees) taken.swap(records_);
  const std::vector<Record*>& records = frees ? taken : records_;
  const size_t record_count = records.size();
  const struct Pass {
    int& running;
    std::vector<Record*>& taken;
    Pass(int& count, std::vector<Record*>& own) : running(count), taken(own) { ++running; }
    ~Pass() {
      --running;
      destroy_records(taken);
    }
  } pass(passes_, taken);

  // Which entries depend on a source, and whether several records read them.
  std::vector<char> needed(entry_count, 0);
  std::vector<char> is_source(entry_count, 0);
  for (uint64_t id : sources) {
    const uint32_t entry = entries_.find(id);
    if (entry) needed[entry] = is_source[entry] = 1;
  }
  std::vector<char> on_path(record_count, 0);
  for (size_t r = 0; r < record_count; ++r) {
    Record& record = *records[r];
    for (size_t i = 0; i < record.num_inputs; ++i) {
      const uint32_t entry = record.input(i).entry;
      if (!entry || !needed[entry]) continue;
      on_path[r] = 1;
      if (needed[entry] <= kOneReader) ++needed[entry];
    }
    if (!on_path[r]) continue;
    for (size_t j = 0; j < record.num_outputs; ++j) {
      if (const uint32_t entry = record.output(j).entry) needed[entry] = 1;
    }
  }

  std::vector<Collected> collected(entry_count);
  if (reached_) {
    for (Collected& each : collected) each.terms = std::make_unique<TensorList>();
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    const uint32_t entry = targets[t] ? entries_.find(targets[t]) : 0;
    if (entry && entry < entry_count && needed[entry]) collected[entry].add(weights[t]);
  }

  // Entries that a record connects with what has a gradient: theirs is zero if no other comes.
  std::unordered_map<uint32_t, TensorSpec> connected;
  const auto complete_gradient = [&](uint32_t entry) -> Collected& {
    Collected& sum = collected[entry];
    if (connected.empty() || sum) return sum;
    const auto found = connected.find(entry);
    if (found != connected.end()) sum.add(zeros(found->second.dtype, found->second.shape));
    return sum;
  };

  // By record, the sources whose gradients are complete once it has been processed.
  std::vector<std::vector<size_t>> complete;
  if (finished) complete = last_uses(records, record_count, on_path, sources, entries_);

  InlineVector<Tensor, 4> dy;
  for (size_t r = record_count; r-- > 0;) {
    Record& record = *records[r];
    bool reached = false;
    if (on_path[r] && reached_) [[unlikely]]
      reached_({});
    if (on_path[r] && record.connects()) {
      add_connected(record, needed, collected, connected);
    } else if (on_path[r]) {
      dy.clear();
      for (size_t j = 0; j < record.num_outputs; ++j) {
        const uint32_t entry = record.output(j).entry;
        Tensor& gradient = dy.emplace_back();
        if (!entry || !complete_gradient(entry)) continue;
        reached = true;
        gradient = collected[entry].densified();
        if (!is_source[entry]) collected[entry] = {};
      }
    }
    if (reached) {
      if (reached_) [[unlikely]]
        reached_(r);
      std::optional<profile::BackwardOf> forward;
      if (record.noted) [[unlikely]]
        forward.emplace(profile::line_of_record(record));
      if (record.op) {
        RecordGradContext context(record, needed, dy, collected);
        record.op->gradient(context);
      } else {
        run_custom(record, dy, needed, collected);
      }
    }
    if (frees) {
      taken.pop_back();
      Record::destroy(&record);
    }
    if (!finished) continue;
    for (const size_t source : complete[r]) {
      Collected& sum = complete_gradient(entries_.find(sources[source]));
      if (sum) finished(source, sum.sum());
    }
  }

  if (reached_) reached_({});
  std::vector<Gradient> results;
  results.reserve(sources.size());
  for (uint64_t id : sources) {
    const uint32_t entry = entries_.find(id);
    results.push_back(entry && entry < entry_count ? complete_gradient(entry).sum() : Gradient{});
  }
  TensorList dense;
  for (const Gradient& result : results) {
    if (result && !result.sparse() && result.values.impl()->lazy()) dense.push_back(result.values);
  }
  if (dense.size() > 1) compute_jointly(dense);
  return results;
}

// The size limit of the largest gradient in one pass: beyond it, a pass for many rows saves no time
// and costs memory.
constexpr int64_t kRowsBytes = int64_t{32} << 20;

int64_t Tape::rows_at_once() const {
  int64_t largest = 1;
  for (Record* record : records_) {
    for (size_t j = 0; j < record->num_outputs; ++j) {
      const Record::Slot& slot = record->output(j);
      if (!slot.entry) continue;
      if (slot.rank >= kMaxRank - 1 || slot.dtype == DType::kVariant) return 1;
      largest = std::max(largest, record->shape(slot).num_elements() *
                                      static_cast<int64_t>(element_size(slot.dtype)));
    }
  }
  return std::max<int64_t>(kRowsBytes / largest, 1);
}

std::vector<Gradient> Tape::gradients_of_rows(const Tensor& target, const Tensor& weights,
                                              std::span<const uint64_t> sources) {
  const int64_t count = weights.dim(0);
  return gradients_in_passes(target, count, sources, [&](int64_t begin, int64_t rows) {
    if (rows == count) return weights;
    Shape shape = weights.shape();
    shape[0] = rows;
    return call(ops::slice, {weights},
                ops::SliceAttrs{.begin = first_of(begin, shape), .size = shape});
  });
}

std::vector<Gradient> Tape::gradients_of_elements(const Tensor& target, bool batch,
                                                  std::span<const uint64_t> sources) {
  Shape row = target.shape();
  if (batch) row[0] = 1;
  const int64_t count = row.num_elements();
  const Tensor one = Tensor::scalar(target.dtype(), 1), zero = Tensor::scalar(target.dtype(), 0);
  return gradients_in_passes(target, count, sources, [&](int64_t begin, int64_t rows) {
    std::vector<int64_t> places(static_cast<size_t>(rows));
    std::iota(places.begin(), places.end(), begin);
    const Tensor units =
        call(ops::one_hot, {Tensor::vector(places), one, zero}, ops::OneHotAttrs{.depth = count});
    Shape shape = row;
    shape.insert(0, rows);
    const Tensor weights = reshape_to(units, shape);
    if (!batch) return weights;
    shape[1] = target.dim(0);
    return broadcast_to_shape(weights, shape);
  });
}

std::vector<Gradient> Tape::gradients_in_passes(
    const Tensor& target, int64_t count, std::span<const uint64_t> sources,
    const std::function<Tensor(int64_t begin, int64_t rows)>& weights) {
  if (count == 0) {
    // One pass determines which sources are connected.
    const Tensor weight = zeros(target.dtype(), target.shape());
    std::vector<Gradient> results = gradient({&target, 1}, {&weight, 1}, sources);
    for (Gradient& result : results) {
      if (!result) continue;
      Shape shape = result.sparse() ? result.dense_shape : result.values.shape();
      shape.insert(0, 0);
      result = {.values = zeros(result.values.dtype(), shape), .indices = {}, .dense_shape = {}};
    }
    return results;
  }
  const int64_t at_once = rows_at_once();
  const bool persistent = std::exchange(options_.persistent, true);
  const struct Restore {
    Tape& tape;
    bool persistent;
    ~Restore() { tape.options_.persistent = persistent; }
  } restore{*this, persistent};
  std::vector<TensorList> parts(sources.size());
  for (int64_t begin = 0; begin < count; begin += at_once) {
    const int64_t rows = std::min(at_once, count - begin);
    const Tensor chunk = weights(begin, rows);
    if (begin + rows >= count) options_.persistent = persistent;
    // A single row needs no batch axis, and may have the largest rank.
    Shape row = chunk.shape();
    row.erase(0);
    const Tensor weight = rows == 1 ? reshape_to(chunk, row) : batched(chunk);
    std::vector<Gradient> gradients = gradient({&target, 1}, {&weight, 1}, sources);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (gradients[i]) parts[i].push_back(as_rows(densify(gradients[i]), rows));
    }
  }
  std::vector<Gradient> results(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (parts[i].empty()) continue;
    results[i].values = parts[i].size() == 1
                            ? parts[i][0]
                            : call(ops::concat, parts[i], ops::ConcatAttrs{.axis = 0});
  }
  return results;
}

Tensor densify(const Gradient& gradient) {
  if (!gradient.sparse()) return gradient.values;
  const Shape& shape = gradient.dense_shape;
  return call(ops::unsorted_segment_sum, {gradient.values, gradient.indices},
              ops::UnsortedSegmentAttrs{.num_segments = shape[0]});
}

}  // namespace ef
