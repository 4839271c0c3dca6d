// Recurrent layers over whole sequences: threads share the sequences of a batch, and each thread
// runs all steps of its sequences. The recurrent matrix is packed once.
#include "kernels/cpu/recurrent.h"

#include <algorithm>
#include <type_traits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/recurrent_loops.h"
#include "ops/recurrent.h"

namespace ef::cpu {
namespace {

const RecurrentLoops& cell_loops() { return best::recurrent_loops(); }
template <class T>
const RecurrentLoopsOf<T>& typed_cell_loops() {
  if constexpr (std::is_same_v<T, double>) {
    return cell_loops().float64;
  } else {
    return cell_loops().float32;
  }
}

Activations gated(const KernelContext& context) {
  const auto& attrs = context.attrs<ops::GatedRnnAttrs>();
  return {attrs.activation, attrs.recurrent_activation};
}
Activations simple(const KernelContext& context) {
  return {context.attrs<ops::SimpleRnnAttrs>().activation, GateActivation::kSigmoid};
}

// A packed matrix, in the order in which the typed_cell_loops read it.
template <class T>
class Packed {
 public:
  Packed(int64_t k, int64_t n, const T* matrix, bool transposed)
      : k_(k),
        n_(n),
        memory_(static_cast<size_t>(typed_cell_loops<T>().packed_size(k, n)) * sizeof(T)) {
    typed_cell_loops<T>().pack(k, n, matrix, transposed ? 1 : n, transposed ? k : 1,
                               memory_.as<T>());
  }
  // c = a * matrix for some rows, or c += a * matrix.
  void multiply(int64_t rows, const T* a, T* c, bool add) const {
    typed_cell_loops<T>().product(rows, k_, n_, a, memory_.as<T>(), c, add);
  }

 private:
  int64_t k_;
  int64_t n_;
  Scratch memory_;
};

// The sizes of a call, and the number of steps.
struct Sequences {
  // `states` is [steps, batch, units], the mask [steps, batch] or absent.
  Sequences(const Tensor& states, const Tensor* mask)
      // Empty states need no steps, whatever their number.
      : steps(states.size() > 0 ? states.dim(0) : std::min<int64_t>(states.dim(0), 1)),
        batch(states.dim(1)),
        units(states.dim(2)),
        mask_(mask ? mask->data<bool>() : nullptr) {}

  bool has(int64_t step, int64_t row) const { return !mask_ || mask_[step * batch + row]; }

  // Calls body(first row, rows) for the sequences of each thread.
  template <class Body>
  void share(const Body& body) const {
    const int64_t cost = std::max<int64_t>(1, steps * units * units * 4);
    parallel_for(batch, std::max<int64_t>(8, 400'000 / cost),
                 [&](int64_t begin, int64_t end) { body(begin, end - begin); });
  }

  int64_t steps;
  int64_t batch;
  int64_t units;

 private:
  const bool* mask_;
};

// A row of [steps, batch, width] or, at step -1, of the initial state.
template <class T>
const T* row_at(const T* all, const T* before, int64_t step, const Sequences& s, int64_t row,
                int64_t width) {
  return step < 0 ? before + row * width : all + (step * s.batch + row) * width;
}

// An optional gradient: an empty tensor represents zeros.
template <class T>
const T* if_any(const Tensor& tensor) {
  return tensor.size() ? tensor.data<T>() : nullptr;
}

// target = source, or zeros.
template <class T>
void copy_or_clear(T* target, const T* source, int64_t count) {
  if (source) {
    std::copy_n(source, count, target);
  } else {
    std::fill_n(target, count, T(0));
  }
}

template <class T>
void add_states(T* target, const T* source, int64_t count) {
  for (int64_t i = 0; i < count; ++i) target[i] += source[i];
}

// The gradient of the recurrent matrix: the states before all steps, transposed, times `dinner` of
// shape [steps, batch, width].
template <class T>
void matrix_gradient(const Sequences& s, int64_t width, const T* h, const T* h0, const T* dinner,
                     T* result) {
  Product p;
  p.m = s.units;
  p.n = width;
  p.transpose_a = true;
  p.lda = s.units;
  p.ldb = width;
  p.ldc = width;
  p.k = s.batch;
  gemm(p, h0, dinner, result);
  p.k = (s.steps - 1) * s.batch;
  p.accumulate = true;
  if (p.k > 0) gemm(p, h, dinner + s.batch * width, result);
}

template <class Function>
void for_cell_type(DType dtype, const Function& function) {
  if (dtype == DType::kFloat64) return function(double{});
  function(float{});
}

const Tensor* optional_input(const KernelContext& context, int i) {
  return context.num_inputs() > i ? &context.input(i) : nullptr;
}

}  // namespace

void lstm(KernelContext& context) {
  const Sequences s(context.output(0), optional_input(context, 4));
  const int64_t n = s.units;
  const Activations activations = gated(context);
  for_cell_type(context.input(0).dtype(), [&]<class T>(T) {
    const auto& run = typed_cell_loops<T>();
    const T* const projection = context.input(0).data<T>();
    const T* const h0 = context.input(1).data<T>();
    const T* const c0 = context.input(2).data<T>();
    T* const hs = context.output(0).mutable_data<T>();
    T* const cs = context.output(3).mutable_data<T>();
    T* const gates = context.output(4).mutable_data<T>();
    const Packed<T> matrix(n, 4 * n, context.input(3).data<T>(), false);
    s.share([&](int64_t first, int64_t rows) {
      for (int64_t t = 0; t < s.steps; ++t) {
        matrix.multiply(rows, row_at(hs, h0, t - 1, s, first, n),
                        gates + (t * s.batch + first) * 4 * n, false);
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = t * s.batch + b;
          const T* const c_before = row_at(cs, c0, t - 1, s, b, n);
          if (s.has(t, b)) {
            run.lstm(gates + at * 4 * n, projection + at * 4 * n, c_before, cs + at * n,
                     hs + at * n, n, activations);
          } else {
            std::copy_n(row_at(hs, h0, t - 1, s, b, n), n, hs + at * n);
            std::copy_n(c_before, n, cs + at * n);
          }
        }
      }
      std::copy_n(row_at(hs, h0, s.steps - 1, s, first, n), rows * n,
                  context.output(1).mutable_data<T>() + first * n);
      std::copy_n(row_at(cs, c0, s.steps - 1, s, first, n), rows * n,
                  context.output(2).mutable_data<T>() + first * n);
    });
  });
}

void lstm_grad(KernelContext& context) {
  const Tensor& states = context.input(3);
  const Sequences s(states, optional_input(context, 9));
  const int64_t n = s.units;
  const Activations activations = gated(context);
  for_cell_type(states.dtype(), [&]<class T>(T) {
    const auto& run = typed_cell_loops<T>();
    const T* const dhs = if_any<T>(context.input(0));
    const T* const dh_last = if_any<T>(context.input(1));
    const T* const dc_last = if_any<T>(context.input(2));
    const T* const cs = context.input(4).data<T>();
    const T* const gates = context.input(5).data<T>();
    const T* const h0 = context.input(6).data<T>();
    const T* const c0 = context.input(7).data<T>();
    T* const dgates = context.output(0).mutable_data<T>();
    T* const dh = context.output(1).mutable_data<T>();
    T* const dc = context.output(2).mutable_data<T>();
    const Packed<T> matrix(4 * n, n, context.input(8).data<T>(), true);
    s.share([&](int64_t first, int64_t rows) {
      const int64_t start = first * n;
      copy_or_clear(dh + start, dh_last ? dh_last + start : nullptr, rows * n);
      copy_or_clear(dc + start, dc_last ? dc_last + start : nullptr, rows * n);
      for (int64_t t = s.steps - 1; t >= 0; --t) {
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = t * s.batch + b;
          if (dhs) add_states(dh + b * n, dhs + at * n, n);
          if (s.has(t, b)) {
            run.lstm_grad(dgates + at * 4 * n, gates + at * 4 * n, row_at(cs, c0, t - 1, s, b, n),
                          cs + at * n, dh + b * n, dc + b * n, n, activations);
            std::fill_n(dh + b * n, n, T(0));
          } else {
            std::fill_n(dgates + at * 4 * n, 4 * n, T(0));
          }
        }
        matrix.multiply(rows, dgates + (t * s.batch + first) * 4 * n, dh + start, true);
      }
    });
    matrix_gradient(s, 4 * n, states.data<T>(), h0, dgates, context.output(3).mutable_data<T>());
  });
}

void gru(KernelContext& context) {
  const Sequences s(context.output(0), optional_input(context, 4));
  const int64_t n = s.units;
  const Activations activations = gated(context);
  for_cell_type(context.input(0).dtype(), [&]<class T>(T) {
    const auto& run = typed_cell_loops<T>();
    const T* const projection = context.input(0).data<T>();
    const T* const h0 = context.input(1).data<T>();
    const T* const bias = context.input(3).data<T>();
    T* const hs = context.output(0).mutable_data<T>();
    T* const gates = context.output(2).mutable_data<T>();
    const Packed<T> matrix(n, 3 * n, context.input(2).data<T>(), false);
    const Scratch memory(s.batch * 3 * n * sizeof(T));
    T* const inner = memory.as<T>();
    s.share([&](int64_t first, int64_t rows) {
      for (int64_t t = 0; t < s.steps; ++t) {
        matrix.multiply(rows, row_at(hs, h0, t - 1, s, first, n), inner + first * 3 * n, false);
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = t * s.batch + b;
          const T* const before = row_at(hs, h0, t - 1, s, b, n);
          if (s.has(t, b)) {
            run.gru(gates + at * 4 * n, inner + b * 3 * n, bias, projection + at * 3 * n, before,
                    hs + at * n, n, activations);
          } else {
            std::copy_n(before, n, hs + at * n);
            std::fill_n(gates + at * 4 * n, 4 * n, T(0));
          }
        }
      }
      std::copy_n(row_at(hs, h0, s.steps - 1, s, first, n), rows * n,
                  context.output(1).mutable_data<T>() + first * n);
    });
  });
}

void gru_grad(KernelContext& context) {
  const Tensor& states = context.input(2);
  const Sequences s(states, optional_input(context, 6));
  const int64_t n = s.units;
  const Activations activations = gated(context);
  for_cell_type(states.dtype(), [&]<class T>(T) {
    const auto& run = typed_cell_loops<T>();
    const T* const dhs = if_any<T>(context.input(0));
    const T* const dh_last = if_any<T>(context.input(1));
    const T* const hs = states.data<T>();
    const T* const gates = context.input(3).data<T>();
    const T* const h0 = context.input(4).data<T>();
    T* const dprojection = context.output(0).mutable_data<T>();
    T* const dh = context.output(1).mutable_data<T>();
    T* const dbias = context.output(3).mutable_data<T>();
    const Packed<T> matrix(3 * n, n, context.input(5).data<T>(), true);
    const Scratch memory(s.steps * s.batch * 3 * n * sizeof(T));
    T* const dinner = memory.as<T>();
    s.share([&](int64_t first, int64_t rows) {
      const int64_t start = first * n;
      copy_or_clear(dh + start, dh_last ? dh_last + start : nullptr, rows * n);
      for (int64_t t = s.steps - 1; t >= 0; --t) {
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = t * s.batch + b;
          if (dhs) add_states(dh + b * n, dhs + at * n, n);
          if (s.has(t, b)) {
            run.gru_grad(dprojection + at * 3 * n, dinner + at * 3 * n, gates + at * 4 * n,
                         row_at(hs, h0, t - 1, s, b, n), dh + b * n, n, activations);
          } else {
            std::fill_n(dprojection + at * 3 * n, 3 * n, T(0));
            std::fill_n(dinner + at * 3 * n, 3 * n, T(0));
          }
        }
        matrix.multiply(rows, dinner + (t * s.batch + first) * 3 * n, dh + start, true);
      }
    });
    matrix_gradient(s, 3 * n, hs, h0, dinner, context.output(2).mutable_data<T>());
    std::fill_n(dbias, 3 * n, T(0));
    for (int64_t k = 0; k < s.steps * s.batch; ++k) add_states(dbias, dinner + k * 3 * n, 3 * n);
  });
}

void simple_rnn(KernelContext& context) {
  const Sequences s(context.output(0), optional_input(context, 3));
  const int64_t n = s.units;
  const Activations activations = simple(context);
  for_cell_type(context.input(0).dtype(), [&]<class T>(T) {
    const T* const projection = context.input(0).data<T>();
    const T* const h0 = context.input(1).data<T>();
    T* const hs = context.output(0).mutable_data<T>();
    const Packed<T> matrix(n, n, context.input(2).data<T>(), false);
    s.share([&](int64_t first, int64_t rows) {
      for (int64_t t = 0; t < s.steps; ++t) {
        matrix.multiply(rows, row_at(hs, h0, t - 1, s, first, n), hs + (t * s.batch + first) * n,
                        false);
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = (t * s.batch + b) * n;
          if (s.has(t, b)) {
            typed_cell_loops<T>().simple(hs + at, projection + at, n, activations);
          } else {
            std::copy_n(row_at(hs, h0, t - 1, s, b, n), n, hs + at);
          }
        }
      }
      std::copy_n(row_at(hs, h0, s.steps - 1, s, first, n), rows * n,
                  context.output(1).mutable_data<T>() + first * n);
    });
  });
}

void simple_rnn_grad(KernelContext& context) {
  const Tensor& states = context.input(2);
  const Sequences s(states, optional_input(context, 5));
  const int64_t n = s.units;
  const Activations activations = simple(context);
  for_cell_type(states.dtype(), [&]<class T>(T) {
    const T* const dhs = if_any<T>(context.input(0));
    const T* const dh_last = if_any<T>(context.input(1));
    const T* const hs = states.data<T>();
    const T* const h0 = context.input(3).data<T>();
    T* const dprojection = context.output(0).mutable_data<T>();
    T* const dh = context.output(1).mutable_data<T>();
    const Packed<T> matrix(n, n, context.input(4).data<T>(), true);
    s.share([&](int64_t first, int64_t rows) {
      const int64_t start = first * n;
      copy_or_clear(dh + start, dh_last ? dh_last + start : nullptr, rows * n);
      for (int64_t t = s.steps - 1; t >= 0; --t) {
        for (int64_t b = first; b < first + rows; ++b) {
          const int64_t at = (t * s.batch + b) * n;
          if (dhs) add_states(dh + b * n, dhs + at, n);
          if (s.has(t, b)) {
            typed_cell_loops<T>().simple_grad(dprojection + at, hs + at, dh + b * n, n,
                                              activations);
            std::fill_n(dh + b * n, n, T(0));
          } else {
            std::fill_n(dprojection + at, n, T(0));
          }
        }
        matrix.multiply(rows, dprojection + (t * s.batch + first) * n, dh + start, true);
      }
    });
    matrix_gradient(s, n, hs, h0, dprojection, context.output(2).mutable_data<T>());
  });
}

}  // namespace ef::cpu
