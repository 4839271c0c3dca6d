// The activations of recurrent layers.
#pragma once

#include <cstdint>

namespace ef {

enum class Activation : uint8_t { kTanh, kRelu, kLinear, kSigmoid };
constexpr const char* words_of(Activation) { return "tanh|relu|linear|sigmoid"; }

enum class GateActivation : uint8_t { kSigmoid, kHardSigmoid };
constexpr const char* words_of(GateActivation) { return "sigmoid|hard_sigmoid"; }

}  // namespace ef
