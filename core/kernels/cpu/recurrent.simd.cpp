// Loops of recurrent layers: products with a packed matrix, and the gates.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/gemm_tiles.h"
#include "kernels/cpu/recurrent_loops.h"
#include "kernels/cpu/vector_math.h"

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
constexpr int64_t kStripWidth = kTileVectors * kLanes<T>;

EF_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
template <class T>
EF_INLINE int64_t whole_vectors(int64_t n) {
  return (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
}

template <class T>
int64_t packed_size(int64_t k, int64_t n) {
  return k * whole_vectors<T>(n);
}

template <class T>
void pack(int64_t k, int64_t n, const T* b, int64_t row, int64_t col, T* packed) {
  for (int64_t j = 0; j < n; j += kStripWidth<T>) {
    const int64_t cols = smaller(kStripWidth<T>, n - j);
    const int64_t width = whole_vectors<T>(cols);
    for (int64_t p = 0; p < k; ++p, packed += width) {
      const T* const from = b + p * row + j * col;
      for (int64_t q = 0; q < cols; ++q) packed[q] = from[q * col];
      for (int64_t q = cols; q < width; ++q) packed[q] = 0;
    }
  }
}

template <class T>
void product(int64_t rows, int64_t k, int64_t n, const T* a, const T* packed, T* c, bool add) {
  const Strided<T> left{a, k, 1};
  for (int64_t j = 0; j < n; j += kStripWidth<T>) {
    const int64_t cols = smaller(kStripWidth<T>, n - j);
    const int64_t width = whole_vectors<T>(cols);
    any_strip(rows, k, left, packed, width, c + j, n, cols, add);
    packed += k * width;
  }
}

// Activations, and their derivatives as functions of their values.
struct Tanh {
  template <class V>
  static V of(V x) {
    return vtanh(x);
  }
  template <class V>
  static V slope(V y) {
    return 1 - y * y;
  }
};
struct Relu {
  template <class V>
  static V of(V x) {
    return x < 0 ? V{} : x;
  }
  template <class V>
  static V slope(V y) {
    return y > 0 ? V{} + 1 : V{};
  }
};
struct Linear {
  template <class V>
  static V of(V x) {
    return x;
  }
  template <class V>
  static V slope(V) {
    return V{} + 1;
  }
};
struct Sigmoid {
  template <class V>
  static V of(V x) {
    return vsigmoid(x);
  }
  template <class V>
  static V slope(V y) {
    return y * (1 - y);
  }
};
struct HardSigmoid {
  template <class V>
  static V of(V x) {
    using T = std::remove_cvref_t<decltype(x[0])>;
    x = x * static_cast<T>(0.2) + static_cast<T>(0.5);
    x = x < 0 ? V{} : x;
    return x > 1 ? V{} + 1 : x;
  }
  template <class V>
  static V slope(V y) {
    using T = std::remove_cvref_t<decltype(y[0])>;
    return (y > 0) & (y < 1) ? V{} + static_cast<T>(0.2) : V{};
  }
};

// Calls body(value's activation, gates' activation).
template <class Body>
EF_INLINE void with_activations(Activations activations, const Body& body) {
  const auto with_gate = [&](auto value) {
    if (activations.gate == GateActivation::kSigmoid) {
      body(value, Sigmoid());
    } else {
      body(value, HardSigmoid());
    }
  };
  switch (activations.value) {
    case Activation::kTanh: return with_gate(Tanh());
    case Activation::kRelu: return with_gate(Relu());
    case Activation::kLinear: return with_gate(Linear());
    case Activation::kSigmoid: return with_gate(Sigmoid());
  }
}

// A vector in memory; the last one of a row may be partial.
template <class T>
EF_INLINE Vec<T> load(const T* from, int64_t size) {
  Vec<T> v = {};
  std::memcpy(&v, from, static_cast<size_t>(size) * sizeof(T));
  return v;
}
template <class T>
EF_INLINE void store(T* to, Vec<T> v, int64_t size) {
  std::memcpy(to, &v, static_cast<size_t>(size) * sizeof(T));
}

template <class T, class Body>
EF_INLINE void for_vectors(int64_t n, const Body& body) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) body(i, std::integral_constant<int64_t, kLanes<T>>());
  if (i < n) body(i, n - i);
}

template <class T>
void lstm(T* gates, const T* projection, const T* c_before, T* c, T* h, int64_t n,
          Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      const auto sum = [&](int64_t at) {
        return load(gates + at + j, size) + load(projection + at + j, size);
      };
      const Vec<T> i = G::of(sum(0));
      const Vec<T> f = G::of(sum(n));
      const Vec<T> g = A::of(sum(2 * n));
      const Vec<T> o = G::of(sum(3 * n));
      const Vec<T> cell = f * load(c_before + j, size) + i * g;
      store(gates + j, i, size);
      store(gates + n + j, f, size);
      store(gates + 2 * n + j, g, size);
      store(gates + 3 * n + j, o, size);
      store(c + j, cell, size);
      store(h + j, o * A::of(cell), size);
    });
  });
}

template <class T>
void lstm_grad(T* dgates, const T* gates, const T* c_before, const T* c, const T* dh, T* dc,
               int64_t n, Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      const Vec<T> i = load(gates + j, size);
      const Vec<T> f = load(gates + n + j, size);
      const Vec<T> g = load(gates + 2 * n + j, size);
      const Vec<T> o = load(gates + 3 * n + j, size);
      const Vec<T> value = A::of(load(c + j, size));
      const Vec<T> slope = load(dh + j, size);
      const Vec<T> cell = load(dc + j, size) + slope * o * A::slope(value);
      store(dgates + j, cell * g * G::slope(i), size);
      store(dgates + n + j, cell * load(c_before + j, size) * G::slope(f), size);
      store(dgates + 2 * n + j, cell * i * A::slope(g), size);
      store(dgates + 3 * n + j, slope * value * G::slope(o), size);
      store(dc + j, cell * f, size);
    });
  });
}

template <class T>
void gru(T* gates, const T* inner, const T* bias, const T* projection, const T* h_before, T* h,
         int64_t n, Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      const auto state = [&](int64_t at) {
        return load(inner + at + j, size) + load(bias + at + j, size);
      };
      const Vec<T> z = G::of(load(projection + j, size) + state(0));
      const Vec<T> r = G::of(load(projection + n + j, size) + state(n));
      const Vec<T> last = state(2 * n);
      const Vec<T> g = A::of(load(projection + 2 * n + j, size) + r * last);
      store(gates + j, z, size);
      store(gates + n + j, r, size);
      store(gates + 2 * n + j, g, size);
      store(gates + 3 * n + j, last, size);
      store(h + j, g + z * (load(h_before + j, size) - g), size);
    });
  });
}

template <class T>
void gru_grad(T* dprojection, T* dinner, const T* gates, const T* h_before, T* dh, int64_t n,
              Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      const Vec<T> z = load(gates + j, size);
      const Vec<T> r = load(gates + n + j, size);
      const Vec<T> g = load(gates + 2 * n + j, size);
      const Vec<T> slope = load(dh + j, size);
      const Vec<T> dz = slope * (load(h_before + j, size) - g) * G::slope(z);
      const Vec<T> dg = slope * (1 - z) * A::slope(g);
      const Vec<T> dr = dg * load(gates + 3 * n + j, size) * G::slope(r);
      store(dprojection + j, dz, size);
      store(dprojection + n + j, dr, size);
      store(dprojection + 2 * n + j, dg, size);
      store(dinner + j, dz, size);
      store(dinner + n + j, dr, size);
      store(dinner + 2 * n + j, dg * r, size);
      store(dh + j, slope * z, size);
    });
  });
}

template <class T>
void simple(T* h, const T* projection, int64_t n, Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      store(h + j, A::of(load(h + j, size) + load(projection + j, size)), size);
    });
  });
}

template <class T>
void simple_grad(T* dprojection, const T* h, const T* dh, int64_t n, Activations activations) {
  with_activations(activations, [&]<class A, class G>(A, G) {
    for_vectors<T>(n, [&](int64_t j, auto size) {
      store(dprojection + j, load(dh + j, size) * A::slope(load(h + j, size)), size);
    });
  });
}

template <class T>
constexpr RecurrentLoopsOf<T> kLoops = {
    .packed_size = packed_size<T>,
    .pack = pack<T>,
    .product = product<T>,
    .lstm = lstm<T>,
    .lstm_grad = lstm_grad<T>,
    .gru = gru<T>,
    .gru_grad = gru_grad<T>,
    .simple = simple<T>,
    .simple_grad = simple_grad<T>,
};

}  // namespace

const RecurrentLoops& recurrent_loops() {
  static constexpr RecurrentLoops loops = {kLoops<float>, kLoops<double>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
