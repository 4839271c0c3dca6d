// A cache of chains, so that repeated computations need no preparation.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/chain.h"
#include "ops/attrs.h"

namespace ef {

// The parts of a cpu::Chain, with the same numbering of values.
struct ChainKey {
  struct Step {
    const Op* op = nullptr;
    SavedAttrs attrs;
    InlineVector<int32_t, 3> operands;
    DType output = DType::kInvalid;

    friend bool operator==(const Step& a, const Step& b) {
      return a.op == b.op && a.output == b.output && std::ranges::equal(a.operands, b.operands) &&
             a.attrs == b.attrs;
    }
  };
  InlineVector<DType, 16> inputs;
  std::vector<Step> steps;
  InlineVector<int32_t, 4> results;

  size_t hash() const;
  friend bool operator==(const ChainKey& a, const ChainKey& b) {
    return std::ranges::equal(a.inputs, b.inputs) && std::ranges::equal(a.results, b.results) &&
           a.steps == b.steps;
  }
};

// All steps must have elementwise loops.
std::shared_ptr<const cpu::Chain> chain_for(const ChainKey& key);

// Creates the cache, and its lock, which fork handlers acquire.
void make_chain_cache();

}  // namespace ef
