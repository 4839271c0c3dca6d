// Integers that represent sizes and attributes that are unknown while a graph is built.
//
// Gradient functions read sizes and attributes as integers. Where these are unknown, a symbolic
// integer is in their place. A function may pass it on to an attribute of another call: the node of
// that call then takes the attribute from a tensor. It calculates with it by ops/sizes.h only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/record.h"

namespace ef::graph {

// Makes symbolic integers, and gives the nodes that this thread adds during its lifetime tensors
// for them.
class SymbolicInts {
 public:
  SymbolicInts();
  ~SymbolicInts();
  SymbolicInts(const SymbolicInts&) = delete;
  SymbolicInts& operator=(const SymbolicInts&) = delete;

  // The object that this thread made last; null if there is none.
  static SymbolicInts* current();

  // A tensor's shape. If the rank is unknown, it has one dimension, which represents all sizes.
  Shape shape_of(const Tensor& tensor);
  // A node's attributes for these inputs; symbolic integers are in place of those that inputs
  // provide. Throws Unimplemented for attributes that are not integers.
  SavedAttrs attrs_of(const Node& node, std::span<const Tensor> inputs);
  // Symbolic integers for a scalar, and for all elements of a vector.
  int64_t add_scalar(Tensor scalar) { return add({.vector = std::move(scalar), .sized = {}}); }
  int64_t add_list(Tensor vector) {
    return add({.vector = std::move(vector), .sized = {}, .entire = true});
  }

  static bool is_symbolic(int64_t number) { return number < kLeastUsual && number > kLastUnknown; }
  // Whether a symbolic integer represents all elements of a vector.
  bool is_list(int64_t number) { return find(number)->entire; }
  // An integer, or a list of them, as an int32 tensor.
  Tensor scalar(int64_t number);
  Tensor vector(std::span<const int64_t> list);

  // Marks symbolic integers among the attributes as unknown; returns what provides them. Throws
  // Unimplemented for the result of a calculation.
  std::vector<Hole> take_holes(SavedAttrs& attrs);

  // A sum over the axes that a broadcast has stretched is left to the caller: which axes these are
  // is unknown.
  void defer_sum() { deferred_sum_ = true; }
  // Whether a sum was deferred since the last call.
  bool take_deferred_sum() { return std::exchange(deferred_sum_, false); }

 private:
  // No size, axis or index is so small.
  static constexpr int64_t kLeastUsual = -(int64_t{1} << 40);
  // The integers up to here represent unknown ones in attributes.
  static constexpr int64_t kLastUnknown = INT64_MIN + 2;

  // An element of an integer vector, or the entire vector.
  struct Source {
    Tensor vector;
    Tensor sized;  // whose sizes the vector holds, if it does not exist yet
    int64_t position = 0;
    bool entire = false;
  };

  int64_t add(Source source);
  // The source of a symbolic integer; null for other integers.
  Source* find(int64_t number);
  Tensor int32_vector_of(Source& source);
  Hole hole_of(int32_t field, Source& source);
  void take_from(Ints& list, int32_t field, int64_t unknown, std::vector<Hole>& holes);

  std::vector<Source> sources_;
  bool deferred_sum_ = false;
  SymbolicInts* outer_;
};

}  // namespace ef::graph
