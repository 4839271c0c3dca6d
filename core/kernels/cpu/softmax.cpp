// Softmax and the losses on logits, row by row while a row is in the cache.
#include "kernels/cpu/softmax.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "eager/lazy.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/widen.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// The longest row that leaves enough room in the second-level cache.
constexpr int64_t kStreamedRow = 16'384;

// Runs body(T) on float or double data; 16-bit floats are widened to float first, and narrowed
// afterwards, by calling the kernel again on float copies.
template <class Body>
void on_floats(KernelContext& context, DType dtype, void (*kernel)(KernelContext&),
               const Body& body) {
  if (dtype == DType::kFloat32) return body(float{});
  if (dtype == DType::kFloat64) return body(double{});
  run_wide_by_rows(context, kernel);
}

// Calls row(r) for each row, on several threads if there is enough work.
template <class Row>
void for_rows(int64_t rows, int64_t width, const Row& row) {
  parallel_for(rows, std::max<int64_t>(1, 16'384 / std::max<int64_t>(width, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) row(r);
               });
}

struct Rows {
  int64_t count = 0;
  int64_t width = 0;
};

Rows rows_of(const Tensor& t) {
  const int64_t width = t.rank() == 0 ? 1 : t.shape().back();
  return {width == 0 ? 0 : t.size() / width, width};
}

template <class T>
void exp_row(T* out, const T* x, int64_t n) {
  static const UnaryLoop loop =
      element_loops().unary[static_cast<int>(Unary::kExp)][static_cast<int>(kDTypeOf<T>)];
  loop(out, x, n, 0);
}

// out = exp(x - max(x)); returns the sum of the results.
template <class T>
T shifted_exp(T* out, const T* x, int64_t n, T* top) {
  const auto& loops = row_loops_of<T>();
  *top = loops.max(x, n);
  return loops.exp_shifted(out, x, *top, n);
}

}  // namespace

namespace {

// Calls row(r, elements) for each row of x, whose elements are deferred. Returns false, with
// nothing done, if x has to be written.
template <class T, class Row>
[[gnu::noinline]] bool for_pending_rows(const Tensor& x, const char* reader, const Row& row) {
  constexpr int64_t kRead = 2048;
  const Rows rows = rows_of(x);
  if (rows.width <= 1 || rows.width > kRead / 2) return false;
  std::optional<LazyRead> pending = read_lazy(x, reader);
  if (!pending) return false;
  const Chain::Reader elements(*pending->chain, x.shape(), pending->inputs);
  const int64_t together = kRead / rows.width;
  parallel_for(rows.count, 16'384 / rows.width, [&](int64_t begin, int64_t end) {
    Chain::Reader::Part part(elements);
    alignas(64) T block[kRead];
    for (int64_t first = begin; first < end; first += together) {
      const int64_t count = std::min(together, end - first);
      part.read(first * rows.width, count * rows.width, block);
      for (int64_t k = 0; k < count; ++k) row(first + k, block + k * rows.width);
    }
  });
  return true;
}

// Calls row(r, elements) for each row of x. Deferred elements in short rows are computed in parts,
// and not written.
template <class T, class Row>
void for_input_rows(const Tensor& x, const char* reader, const Row& row) {
  if (x.impl()->lazy() && for_pending_rows<T>(x, reader, row)) return;
  const Rows rows = rows_of(x);
  const T* const from = x.data<T>();
  for_rows(rows.count, rows.width, [&](int64_t r) { row(r, from + r * rows.width); });
}

}  // namespace

void softmax(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), softmax, [&]<class T>(T) {
    const Rows rows = rows_of(context.input(0));
    T* y = context.output(0).mutable_data<T>();
    // Results larger than the caches are computed in a buffer, then stored non-temporally.
    const bool streams = context.output(0).bytes() >= kStreamBytes && rows.width <= kStreamedRow &&
                         rows.width * sizeof(T) % 64 == 0;
    for_input_rows<T>(context.input(0), "softmax", [&](int64_t r, const T* x) {
      alignas(64) T buffer[kStreamedRow];
      T top;
      T* const out = y + r * rows.width;
      T* const work = streams ? buffer : out;
      const T sum = shifted_exp(work, x, rows.width, &top);
      row_loops_of<T>().scale(work, work, T(1) / sum, rows.width);
      if (streams) element_loops().stream(out, work, rows.width * sizeof(T));
    });
    if (streams) element_loops().stream_end();
  });
}

void log_softmax(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), log_softmax, [&]<class T>(T) {
    const Rows rows = rows_of(context.input(0));
    T* const y = context.output(0).mutable_data<T>();
    for_input_rows<T>(context.input(0), "log_softmax", [&](int64_t r, const T* x) {
      T* const out = y + r * rows.width;
      const T top = row_loops_of<T>().max(x, rows.width);
      const T sum = row_loops_of<T>().sum_exp(x, top, rows.width);
      row_loops_of<T>().subtract(out, x, top, rows.width);
      row_loops_of<T>().subtract(out, out, std::log(sum), rows.width);
    });
  });
}

void softmax_grad(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), softmax_grad, [&]<class T>(T) {
    const Rows rows = rows_of(context.input(0));
    const T* dy = context.input(0).data<T>();
    const T* y = context.input(1).data<T>();
    T* dx = context.output(0).mutable_data<T>();
    for_rows(rows.count, rows.width, [&](int64_t r) {
      const int64_t at = r * rows.width;
      const T sum = row_loops_of<T>().dot(dy + at, y + at, rows.width);
      row_loops_of<T>().softmax_grad(dx + at, dy + at, y + at, sum, rows.width);
    });
  });
}

void log_softmax_grad(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), log_softmax_grad, [&]<class T>(T) {
    const Rows rows = rows_of(context.input(0));
    const T* dy = context.input(0).data<T>();
    const T* y = context.input(1).data<T>();
    T* dx = context.output(0).mutable_data<T>();
    for_rows(rows.count, rows.width, [&](int64_t r) {
      const int64_t at = r * rows.width;
      const T sum = row_loops_of<T>().sum(dy + at, rows.width);
      exp_row(dx + at, y + at, rows.width);
      row_loops_of<T>().scale(dx + at, dx + at, -sum, rows.width);
      row_loops_of<T>().add_into(dx + at, dy + at, rows.width);
    });
  });
}

namespace {

// Facts about a row of logits: its largest element, and 1 / the sum of exp(x - top).
template <class T>
struct RowFacts {
  T top, factor;
};

// The deferred gradients of losses with respect to logits, softmax(x) minus the labels. A reader
// multiplies them by the gradient of the losses, so they need no memory of their own.
template <class T>
class CrossEntropyGradient : public ElementSource {
 public:
  CrossEntropyGradient(Tensor logits, Tensor labels, Rows rows)
      : logits_(std::move(logits)),
        labels_(std::move(labels)),
        width_(rows.width),
        facts_(std::make_shared<std::vector<RowFacts<T>>>(static_cast<size_t>(rows.count))) {}

  RowFacts<T>& facts(int64_t row) const { return (*facts_)[static_cast<size_t>(row)]; }

  void read(int64_t begin, int64_t count, void* to) const override {
    const T* const x = logits_.data<T>();
    T* out = static_cast<T*>(to);
    for (const int64_t end = begin + count; begin < end;) {
      const int64_t row = begin / width_;
      const int64_t last = std::min(end, (row + 1) * width_);
      const auto [top, factor] = facts(row);
      const T scale = scales_ ? scales_.data<T>()[row] : T(1);
      const auto fill = [&](T* to, int64_t from, const T* labels, T times, int64_t n) {
        row_loops_of<T>().exp_minus(to, x + from, top, factor, labels, times, n);
      };
      const bool dense = labels_.dtype() == kDTypeOf<T>;
      const int64_t at = dense ? -1 : row * width_ + label_of(row);
      const bool has_label = at >= begin && at < last;
      T share;  // `out` may overlap the logits
      if (has_label) fill(&share, at, nullptr, T(1), 1);
      fill(out, begin, dense ? labels_.data<T>() + begin : nullptr, scale, last - begin);
      if (has_label) out[at - begin] = (share - T(1)) * scale;
      out += last - begin;
      begin = last;
    }
  }

  const Tensor* readable_once() const override { return &logits_; }

  std::shared_ptr<const ElementSource> times(const Tensor& rows) const override {
    if (scales_) return nullptr;
    auto scaled = std::make_shared<CrossEntropyGradient>(*this);
    scaled->scales_ = rows;
    return scaled;
  }

 private:
  int64_t label_of(int64_t row) const {
    return labels_.dtype() == DType::kInt32 ? labels_.data<int32_t>()[row]
                                            : labels_.data<int64_t>()[row];
  }

  const Tensor logits_, labels_;
  Tensor scales_;  // one for each row; may be empty
  const int64_t width_;
  const std::shared_ptr<std::vector<RowFacts<T>>> facts_;
};

// For shorter rows, computing the gradient again is slower than writing and reading it.
constexpr int64_t kLongRow = 256;

// Allocates the outputs, except a large gradient, which is deferred. Existing outputs stay.
void make_outputs(KernelContext& context) {
  for (int k = 0; k < 2; ++k) {
    const TensorSpec& spec = context.spec(k);
    const bool deferred = k == 1 && spec.shape.num_elements() >= kLazyElements &&
                          spec.shape.back() >= kLongRow && !is_short_float(spec.dtype) && fuses();
    if (!context.output(k) && !deferred) context.output(k) = Tensor::empty(spec.dtype, spec.shape);
  }
}

// Calls run(r, row, gradient, top, sum) for each row of logits, which returns the loss; `sum` is
// the sum of exp(x - top). `gradient` holds exp(x - top); it is null if the gradient is deferred.
template <class T, class Row>
void cross_entropies(KernelContext& context, const Row& run) {
  const Tensor &logits = context.input(0), &labels = context.input(1);
  const Rows rows = rows_of(logits);
  if (rows.width == 0) {  // the sum over no classes
    Tensor& losses = context.output(0);
    std::fill_n(losses.mutable_data<T>(), losses.size(), T(0));
    return;
  }
  std::shared_ptr<CrossEntropyGradient<T>> later;
  if (!context.output(1)) {
    constexpr double kNanoseconds = 0.5;
    later = std::make_shared<CrossEntropyGradient<T>>(logits, labels, rows);
    const TensorSpec& spec = context.spec(1);
    context.output(1) = make_generated(later, spec, kNanoseconds, logits.bytes() + labels.bytes());
    if (!context.output(1)) {
      context.output(1) = Tensor::empty(spec.dtype, spec.shape);
      later = nullptr;
    }
  }
  const T* const x = logits.data<T>();
  T* const loss = context.output(0).mutable_data<T>();
  T* const gradient = later ? nullptr : context.output(1).mutable_data<T>();
  for_rows(rows.count, rows.width, [&](int64_t r) {
    const T* const row = x + r * rows.width;
    T* const out = gradient ? gradient + r * rows.width : nullptr;
    T top, sum;
    if (out) {
      sum = shifted_exp(out, row, rows.width, &top);
    } else {
      top = row_loops_of<T>().max(row, rows.width);
      sum = row_loops_of<T>().sum_exp(row, top, rows.width);
      later->facts(r) = {top, T(1) / sum};
    }
    loss[r] = run(r, row, out, top, sum);
  });
}

}  // namespace

void softmax_cross_entropy(KernelContext& context) {
  make_outputs(context);
  on_floats(context, context.input(0).dtype(), softmax_cross_entropy, [&]<class T>(T) {
    const T* const labels = context.input(1).data<T>();
    const int64_t width = rows_of(context.input(0)).width;
    cross_entropies<T>(context, [&](int64_t r, const T* row, T* out, T top, T sum) {
      return row_loops_of<T>().cross_entropy(out, row, labels + r * width, top, sum, width);
    });
  });
}

namespace {

template <class Label>
void check_labels(const KernelContext& context) {
  const Rows rows = rows_of(context.input(0));
  const Label* labels = context.input(1).data<Label>();
  for (int64_t r = 0; r < context.input(1).size(); ++r) {
    if (labels[r] >= 0 && labels[r] < rows.width) continue;
    std::ostringstream all;
    for (int64_t k = 0; k < std::min<int64_t>(context.input(1).size(), 100); ++k) {
      all << ' ' << labels[k];
    }
    invalid_argument("Received a label value of ", labels[r],
                     " which is outside the valid range of [0, ", rows.width,
                     ").  Label values:", all.str(), " [Op:", context.tf_name(), "]");
  }
}

template <class T, class Label>
void sparse_rows(KernelContext& context) {
  const auto* const labels = context.input(1).data<Label>();
  const int64_t width = rows_of(context.input(0)).width;
  cross_entropies<T>(context, [&](int64_t r, const T* row, T* out, T top, T sum) {
    if (out) {
      row_loops_of<T>().scale(out, out, T(1) / sum, width);
      out[labels[r]] -= T(1);
    }
    return std::log(sum) - (row[labels[r]] - top);
  });
}

void checked_sparse(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), checked_sparse, [&]<class T>(T) {
    if (context.input(1).dtype() == DType::kInt32) {
      sparse_rows<T, int32_t>(context);
    } else {
      sparse_rows<T, int64_t>(context);
    }
  });
}

}  // namespace

void sparse_softmax_cross_entropy(KernelContext& context) {
  if (context.input(1).dtype() == DType::kInt32) {
    check_labels<int32_t>(context);
  } else {
    check_labels<int64_t>(context);
  }
  make_outputs(context);
  checked_sparse(context);
}

void sigmoid_cross_entropy(KernelContext& context) {
  on_floats(context, context.input(1).dtype(), sigmoid_cross_entropy, [&]<class T>(T) {
    const T* z = context.input(0).data<T>();
    const T* x = context.input(1).data<T>();
    T* out = context.output(0).mutable_data<T>();
    parallel_for(context.output(0).size(), 16'384, [&](int64_t begin, int64_t end) {
      row_loops_of<T>().sigmoid_cross_entropy(out + begin, z + begin, x + begin, end - begin);
    });
  });
}

void l2_loss(KernelContext& context) {
  on_floats(context, context.input(0).dtype(), l2_loss, [&]<class T>(T) {
    const T* x = context.input(0).data<T>();
    const int64_t n = context.input(0).size();
    // Blocks bound the rounding error of long sums.
    const auto squares = [x](int64_t begin, int64_t end) {
      T sum = 0;
      for (int64_t i = begin; i < end; i += 4096) {
        sum += row_loops_of<T>().dot(x + i, x + i, std::min<int64_t>(4096, end - i));
      }
      return sum;
    };
    T* const out = context.output(0).mutable_data<T>();
    constexpr int64_t kParts = 32;  // of a long vector, to be shared by threads
    if (n < kParts * 4096) {
      *out = squares(0, n) / 2;
      return;
    }
    std::array<T, kParts> parts;
    parallel_for(kParts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        parts[static_cast<size_t>(p)] = squares(n * p / kParts, n * (p + 1) / kParts);
      }
    });
    *out = std::accumulate(parts.begin(), parts.end(), T(0)) / 2;
  });
}

}  // namespace ef::cpu
