// Recognises products and convolutions and the steps that follow them, and runs them together.
#include "graph/fusions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eager/batched.h"
#include "eager/interruptible_region.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/tape.h"
#include "graph/plan.h"
#include "kernels/cpu/convolution.h"
#include "ops/array.h"
#include "ops/bias.h"
#include "ops/convolution.h"
#include "ops/element_call.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/normalization.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"

namespace ef::graph {
namespace {

const Tensor& result_of(const Node& node) { return node.outputs[0]; }

// Whether the weights are int8, with one scale per column.
bool is_int8(const Node& node) {
  return node.op == &ops::int8_matmul || node.op == &ops::int8_conv2d ||
         node.op == &ops::int8_depthwise_conv2d;
}

bool is_depthwise(const Node& node) {
  return node.op == &ops::depthwise_conv2d || node.op == &ops::int8_depthwise_conv2d;
}

bool is_convolution(const Node& node) {
  return node.op == &ops::conv2d || node.op == &ops::int8_conv2d || is_depthwise(node);
}

// A product or convolution of floats whose result has its channels last.
bool can_begin(const Node& node) {
  if (!node.op || !node.late.empty() || result_of(node).dtype() != DType::kFloat32) return false;
  if (is_convolution(node)) {
    return node.attrs.as<ops::Conv2DAttrs>().data_format == DataFormat::kNhwc;
  }
  if (node.op == &ops::int8_matmul) return true;
  if (node.op != &ops::matmul) return false;
  // A single column is a product of rows and a vector, which prepared strips of columns slow down.
  const Shape& shape = result_of(node).shape();
  return shape.ranked() && shape.rank() >= 2 && shape.back() != 1 &&
         !node.attrs.as<ops::MatmulAttrs>().swaps_a();
}

// The number of channels, or kUnknownSize.
int64_t channels_of(const Shape& shape) {
  return shape.ranked() && shape.rank() > 0 ? shape.back(0) : kUnknownSize;
}

// Whether a shape has one value per channel and broadcasts to the result.
bool is_vector(const Shape& shape, int64_t channels) {
  if (!shape.fully_known() || channels <= 0) return false;
  return channels_of(shape) == channels && shape.num_elements() == channels;
}

// Weights that changed in this many consecutive runs are expected to change again.
constexpr int kOftenChanged = 2;

}  // namespace

int32_t Fusion::add_input(int32_t slot) {
  inputs_.push_back(slot);
  return static_cast<int32_t>(inputs_.size()) - 1;
}

class Fusion::Search {
 public:
  Search(std::span<const NodeSlots> steps, const SlotFacts& facts)
      : steps_(steps),
        facts_(facts),
        reader_(facts.readers.size(), -1),
        giver_(facts.readers.size(), -1),
        taken_(steps.size()) {
    for (size_t i = 0; i < steps.size(); ++i) {
      for (size_t k = 0; k < steps[i].node->outputs.size(); ++k) {
        giver_[static_cast<size_t>(steps[i].first_output) + k] = static_cast<int32_t>(i);
      }
      for (const int32_t slot : steps[i].inputs) {
        reader_[static_cast<size_t>(slot)] = static_cast<int32_t>(i);
      }
    }
  }

  std::vector<Found> take() {
    std::vector<Found> all;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const NodeSlots& step = steps_[i];
      if (taken_[i] || !can_begin(*step.node) || is_computed(step.inputs[1])) continue;
      Found found{{i}, std::make_unique<Fusion>()};
      found.fusion->node_ = step.node;
      for (const int32_t slot : step.inputs) found.fusion->add_input(slot);
      if (is_convolution(*step.node)) add_padding(found, step.inputs[0]);
      while (extend(found)) {
      }
      // A lone matmul gains nothing from prepared weights; other operations may.
      if (found.steps.size() == 1 && step.node->op == &ops::matmul) continue;
      for (const size_t k : found.steps) taken_[k] = 1;
      all.push_back(std::move(found));
    }
    return all;
  }

 private:
  bool is_computed(int32_t slot) const { return facts_.computed[static_cast<size_t>(slot)]; }

  // Adds the step that computes the image, if it pads rows and columns with zeros.
  void add_padding(Found& found, int32_t image) {
    const int32_t giver = giver_[static_cast<size_t>(image)];
    if (giver < 0 || facts_.readers[static_cast<size_t>(image)] != 1) return;
    const NodeSlots& step = steps_[static_cast<size_t>(giver)];
    const Node& node = *step.node;
    if (node.op != &ops::pad || !node.late.empty()) return;
    const auto& attrs = node.attrs.as<ops::PadAttrs>();
    if (attrs.mode != ops::PadMode::kConstant || attrs.constant_values != 0) return;
    const auto untouched = [&](size_t axis) {
      return attrs.paddings[2 * axis] == 0 && attrs.paddings[2 * axis + 1] == 0;
    };
    if (attrs.paddings.size() != 8 || !untouched(0) || !untouched(3)) return;
    found.fusion->pad_ = &node;
    found.fusion->inputs_[0] = step.inputs[0];
    found.steps.insert(found.steps.begin(), static_cast<size_t>(giver));
  }

  // Adds the only step that reads the last result, if the step can be fused.
  bool extend(Found& found) {
    const NodeSlots& last = steps_[found.steps.back()];
    const int32_t slot = last.first_output;
    if (facts_.readers[static_cast<size_t>(slot)] != 1) return false;
    const int32_t next = reader_[static_cast<size_t>(slot)];
    if (next < 0 || taken_[static_cast<size_t>(next)]) return false;
    const NodeSlots& step = steps_[static_cast<size_t>(next)];
    const Node& node = *step.node;
    if (!node.op || result_of(node).dtype() != DType::kFloat32) return false;
    Fusion& fusion = *found.fusion;
    const int64_t channels = channels_of(result_of(*last.node).shape());
    const bool linear = fusion.addend_ < 0 && !fusion.ends_;
    const bool fits =
        (linear &&
         (add_affine(fusion, step, slot, channels) || add_view(fusion, step, slot, channels))) ||
        (!fusion.ends_ && add_addend(fusion, step, slot, *last.node)) || add_loop(fusion, node);
    if (fits) found.steps.push_back(static_cast<size_t>(next));
    return fits;
  }

  bool add_affine(Fusion& fusion, const NodeSlots& step, int32_t slot, int64_t channels) {
    const Node& node = *step.node;
    if (node.op == &ops::batch_norm_inference) {
      const auto& attrs = node.attrs.as<ops::BatchNormAttrs>();
      const int rank = result_of(node).rank();
      if (!result_of(node).shape().ranked() || (attrs.axis != -1 && attrs.axis != rank - 1)) {
        return false;
      }
      for (size_t k = 1; k < step.inputs.size(); ++k) {
        if (is_computed(step.inputs[k])) return false;
      }
      if (step.inputs[0] != slot) return false;
      fusion.affine_.push_back(
          {Affine::kNormalize, static_cast<int32_t>(fusion.inputs_.size()), attrs.epsilon});
      for (size_t k = 1; k < step.inputs.size(); ++k) fusion.add_input(step.inputs[k]);
      return true;
    }
    const bool bias = node.op == &ops::bias_add;
    if (!bias && node.op != &ops::add && node.op != &ops::multiply) return false;
    if (bias && node.attrs.as<ops::BiasAttrs>().data_format != DataFormat::kNhwc) return false;
    const bool second = step.inputs[0] == slot;
    const int32_t vector = step.inputs[second];
    if (vector == slot || is_computed(vector) || (bias && !second)) return false;
    const Shape& shape = *facts_.shapes[static_cast<size_t>(vector)];
    if (!bias && (!is_vector(shape, channels) || shape.rank() > result_of(node).rank())) {
      return false;
    }
    const bool scales = node.op == &ops::multiply;
    fusion.affine_.push_back({scales ? Affine::kScale : Affine::kOffset, fusion.add_input(vector)});
    return true;
  }

  bool add_view(Fusion& fusion, const NodeSlots& step, int32_t slot, int64_t channels) {
    const Node& node = *step.node;
    if (node.op != &ops::reshape || fusion.view_ || step.inputs[0] != slot) return false;
    if (channels <= 0 || channels_of(result_of(node).shape()) != channels) return false;
    fusion.view_ = &node;
    fusion.view_inputs_ = static_cast<int32_t>(fusion.inputs_.size());
    for (size_t k = 1; k < step.inputs.size(); ++k) fusion.add_input(step.inputs[k]);
    return true;
  }

  bool add_addend(Fusion& fusion, const NodeSlots& step, int32_t slot, const Node& last) {
    const Node& node = *step.node;
    if (node.op != &ops::add || fusion.addend_ >= 0) return false;
    const int32_t other = step.inputs[step.inputs[0] == slot];
    const Shape& shape = result_of(node).shape();
    if (other == slot || !shape.ranked() || !may_equal(shape, result_of(last).shape()))
      return false;
    fusion.addend_ = fusion.add_input(other);
    return true;
  }

  bool add_loop(Fusion& fusion, const Node& node) {
    const float low = 0, high = node.op == &ops::relu6 ? 6 : fusion.limits_.high;
    if ((node.op == &ops::relu || node.op == &ops::relu6) && !std::exchange(fusion.ends_, true)) {
      fusion.limits_ = {low, high};
      return true;
    }
    if (!node.late.empty() || node.inputs.size() != 1) return false;
    const DType type = DType::kFloat32;
    const ElementLoop loop = ef::element_loop({*node.op, {&type, 1}, type, node.attrs});
    if (!loop || loop.forwards || !loop.overwrites) return false;
    fusion.loops_.push_back(loop);
    fusion.ends_ = true;
    return true;
  }

  std::span<const NodeSlots> steps_;
  const SlotFacts& facts_;
  std::vector<int32_t> reader_;  // the last step that reads a slot
  std::vector<int32_t> giver_;   // the step that computes it, or -1
  std::vector<char> taken_;
};

std::vector<Fusion::Found> Fusion::find(std::span<const NodeSlots> steps, const SlotFacts& facts) {
  return Search(steps, facts).take();
}

// False if the inputs are not vectors with one element per channel.
bool Fusion::fold(std::span<const Tensor> inputs, int64_t channels, Folded& folded) const {
  const auto count = static_cast<size_t>(channels);
  std::vector<double> scale(count, 1), offsets(count, 0);
  bool scales = is_int8(*node_);
  if (scales) std::copy_n(inputs[2].data<float>(), channels, scale.begin());
  for (const Affine& affine : affine_) {
    const bool normalizes = affine.kind == Affine::kNormalize;
    const auto first = static_cast<size_t>(affine.first_input);
    const float* vectors[4] = {};
    for (size_t k = 0; k < (normalizes ? 4u : 1u); ++k) {
      const Tensor& vector = inputs[first + k];
      if (vector.size() != channels || vector.dtype() != DType::kFloat32) return false;
      vectors[k] = vector.data<float>();
    }
    scales |= affine.kind != Affine::kOffset;
    for (size_t c = 0; c < count; ++c) {
      const double value = vectors[0][c];
      switch (affine.kind) {
        case Affine::kOffset: offsets[c] += value; break;
        case Affine::kScale:
          scale[c] *= value;
          offsets[c] *= value;
          break;
        case Affine::kNormalize:
          const double factor = value / std::sqrt(double{vectors[3][c]} + affine.epsilon);
          scale[c] *= factor;
          offsets[c] = (offsets[c] - vectors[2][c]) * factor + vectors[1][c];
      }
    }
  }
  if (scales) folded.scale.assign(scale.begin(), scale.end());
  if (!affine_.empty()) folded.offsets.assign(offsets.begin(), offsets.end());
  return true;
}

// The identity of a tensor changes when its memory gets another value.
std::shared_ptr<Fusion::Folded> Fusion::folded(std::span<const Tensor> inputs,
                                               int64_t channels) const {
  if (trained_) return nullptr;
  std::vector<uint64_t> ids{inputs[1].impl()->id()};
  if (is_int8(*node_)) ids.push_back(inputs[2].impl()->id());
  for (const Affine& affine : affine_) {
    const int32_t count = affine.kind == Affine::kNormalize ? 4 : 1;
    for (int32_t k = 0; k < count; ++k) {
      ids.push_back(inputs[static_cast<size_t>(affine.first_input + k)].impl()->id());
    }
  }
  auto made = std::make_shared<Folded>();
  {
    const std::lock_guard lock(mutex_);
    if (folded_ && folded_->ids == ids) {
      changes_ = 0;
      if (folded_->ready) return folded_;
    } else if (changes_++ >= kOftenChanged) {
      // For weights that are trained, preparation does not pay: kernels reorder them on the fly.
      made->ids = std::move(ids);
      folded_ = made;
      return nullptr;
    }
  }
  if (!fold(inputs, channels, *made)) return nullptr;
  made->ids = std::move(ids);
  made->ready = true;
  const std::lock_guard lock(mutex_);
  folded_ = made;
  return made;
}

// Weights that change in every run are used unchanged; only the following steps are fused.
bool Fusion::fold_once(std::span<const Tensor> inputs, int64_t channels, Folded& once) const {
  const bool finishes = !affine_.empty() || addend_ >= 0 || ends_;
  return finishes && !pad_ && !view_ && fold(inputs, channels, once) && once.scale.empty();
}

// The image after padding, as a shape without a value.
Tensor Fusion::padded(const Tensor& image) const {
  return symbolic(infer(*pad_->op, {&image, 1}, pad_->attrs)[0]);
}

cpu::Convolution Fusion::describe(const Shape& image, const Shape& filter,
                                  const Shape& result) const {
  cpu::Convolution c =
      cpu::forward_convolution(is_depthwise(*node_), node_->attrs.as<ops::Conv2DAttrs>(), image,
                               filter, result, node_->op->tf_name);
  if (!pad_) return c;
  const Ints& paddings = pad_->attrs.as<ops::PadAttrs>().paddings;
  for (const auto& [slide, first] : {std::pair{&c.window.row, 2u}, {&c.window.col, 4u}}) {
    slide->before += paddings[first];
    slide->after += paddings[first + 1];
    slide->in -= paddings[first] + paddings[first + 1];
  }
  return c;
}

int64_t Fusion::operations_for_pixel(const Shape& filter) const {
  if (!is_convolution(*node_) || view_ || !filter.fully_known() || filter.rank() != 4) return 0;
  return 2 * filter[0] * filter[1] * (is_depthwise(*node_) ? 1 : filter[2]);
}

bool Fusion::run(std::span<const Tensor> inputs, TensorList& outputs) const {
  if (!observers.empty()) return false;
  for (const Tensor& input : inputs) {
    if (input.impl()->lazy() && is_batched(input)) return false;
    for (const Tape* const tape : active_tapes()) {
      if (tape->knows(input.impl()->id_or_zero())) return false;
    }
  }
  const Op& op = *node_->op;
  for (const Tensor& input : inputs.subspan(1)) input.impl()->settle();
  const Tensor& left = inputs[0];
  const Tensor& right = inputs[1];
  const bool int8 = is_int8(*node_);
  if (left.dtype() != DType::kFloat32) return false;
  if (right.dtype() != (int8 ? DType::kInt8 : DType::kFloat32)) return false;
  if (left.size() == 0 || right.size() == 0) return false;
  SpecList specs;
  cpu::Convolution convolution;
  try {
    const Tensor operands[] = {pad_ ? padded(left) : left, right, int8 ? inputs[2] : Tensor()};
    specs = infer(op, std::span(operands).first(int8 ? 3 : 2), node_->attrs);
    if (is_convolution(*node_))
      convolution = describe(operands[0].shape(), right.shape(), specs[0].shape);
  } catch (const Error&) {
    return false;  // the operation itself raises the error
  }
  const Shape& shape = specs[0].shape;
  const int64_t channels = shape.back(0);
  const int64_t count = shape.num_elements();
  if (count == 0 || (node_->op == &ops::matmul && right.rank() != 2)) return false;
  // The addition may be one that broadcasts.
  const Tensor* const other = addend_ < 0 ? nullptr : &inputs[static_cast<size_t>(addend_)];
  if (other && !view_ && other->shape() != shape) return false;
  const std::shared_ptr<Folded> ready = folded(inputs, channels);
  Folded once;
  if (!ready && !fold_once(inputs, channels, once)) return false;
  Tensor image = value_for_call(left, op);
  if (!image) image = left;
  image.impl()->settle();
  const bool kept = ready || (is_convolution(*node_) && cpu::finishes_alone(convolution));
  const Tensor result =
      kept ? Tensor::empty(DType::kFloat32, shape) : call(op, {image, right}, node_->attrs);
  TensorList given{result};
  if (view_) {
    const auto sizes = inputs.subspan(static_cast<size_t>(view_inputs_), view_->inputs.size() - 1);
    TensorList operands{result};
    for (const Tensor& size : sizes) operands.push_back(size);
    given.clear();
    run_node(*view_, operands, given);
  }
  if (other && other->shape() != given[0].shape()) return false;
  const float* const addend = other ? other->data<float>() : nullptr;
  Folded& weights = ready ? *ready : once;
  const InterruptibleRegion region(kept ? op.cost(inputs, specs, node_->attrs)
                                        : static_cast<double>(count));
  const cpu::Finish finish(channels, weights.offsets.empty() ? nullptr : weights.offsets.data(),
                           addend, limits_, loops_);
  cpu::ReadyWeights::Source source{int8 ? nullptr : right.data<float>(), right.size() / channels,
                                   channels};
  if (int8) source.int8 = right.data<int8_t>();
  if (!weights.scale.empty()) source.scale = weights.scale.data();
  float* const to = result.mutable_data<float>();
  if (!kept) {
    cpu::finish_pixels(finish, to, count / channels, channels);
  } else if (is_convolution(*node_)) {
    cpu::convolve_finished(convolution, image.data<float>(), weights.weights, source, finish, to,
                           op.tf_name);
  } else {
    source.transposed = !int8 && node_->attrs.as<ops::MatmulAttrs>().swaps_b();
    cpu::multiply_finished(count / channels, image.data<float>(), weights.weights, source, finish,
                           to);
  }
  outputs.push_back(std::move(given[0]));
  return true;
}

}  // namespace ef::graph
