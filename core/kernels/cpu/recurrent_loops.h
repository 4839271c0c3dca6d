// Loops of recurrent layers, for each instruction set.
#pragma once

#include <cstdint>

#include "device/isa.h"
#include "ops/activations.h"

namespace ef::cpu {

struct Activations {
  Activation value;
  GateActivation gate;
};

// A row is one sequence of a batch at one step; n is the number of units.
template <class T>
struct RecurrentLoopsOf {
  // Packs b (k × n; element (p, j) at p * row + j * col) in the order in which `product` reads it,
  // which takes packed_size(k, n) elements.
  int64_t (*packed_size)(int64_t k, int64_t n);
  void (*pack)(int64_t k, int64_t n, const T* b, int64_t row, int64_t col, T* packed);
  // c (rows × n) = a (rows × k) * b, or c += a * b with `add`.
  void (*product)(int64_t rows, int64_t k, int64_t n, const T* a, const T* packed, T* c, bool add);

  // gates: on entry the state's contribution to the gates i, f, g, o; on return the gates.
  void (*lstm)(T* gates, const T* projection, const T* c_before, T* c, T* h, int64_t n,
               Activations activations);
  // dgates: the gradient before activation; dc: of the cell after the step, then before it.
  void (*lstm_grad)(T* dgates, const T* gates, const T* c_before, const T* c, const T* dh, T* dc,
                    int64_t n, Activations activations);
  // inner: the state's contribution to z, r and g. gates: z, r, g, and the last part of inner, bias
  // included.
  void (*gru)(T* gates, const T* inner, const T* bias, const T* projection, const T* h_before, T* h,
              int64_t n, Activations activations);
  // dh: of the state after the step, then its direct part for the state before (not via `inner`).
  void (*gru_grad)(T* dprojection, T* dinner, const T* gates, const T* h_before, T* dh, int64_t n,
                   Activations activations);
  // h: on entry the state's contribution, on return the new state.
  void (*simple)(T* h, const T* projection, int64_t n, Activations activations);
  void (*simple_grad)(T* dprojection, const T* h, const T* dh, int64_t n, Activations activations);
};

struct RecurrentLoops {
  RecurrentLoopsOf<float> float32;
  RecurrentLoopsOf<double> float64;
};

EF_EVERY_ISA(RecurrentLoops, recurrent_loops)

}  // namespace ef::cpu
