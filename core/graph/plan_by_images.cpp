// Convolutions of a plan that go together through a few images of the batch at a time.
//
// Between two convolutions of a large batch, images leave the processor's caches. Where memory is
// what a run waits for, as with depthwise convolutions, it runs several convolutions for some
// images before it begins the next ones.
#include <algorithm>
#include <cstring>

#include "graph/plan.h"
#include "graph/plan_by_images.h"
#include "ops/shapes.h"

namespace ef::graph {
namespace {

// Bytes of the images that one convolution reads and writes, so that they stay in the caches.
constexpr int64_t kCached = 4 << 20;
// Convolutions with more operations for each byte wait for the processor, not for memory.
constexpr int64_t kManyOperations = 24;
// How much the number of images may differ between convolutions that run together.
constexpr int64_t kSpread = 4;

// The bytes of one image; 0 if that is unknown.
int64_t image_bytes(const Shape* shape) {
  if (!shape || shape->rank() != 4) return 0;
  int64_t bytes = static_cast<int64_t>(sizeof(float));
  for (int axis = 1; axis < 4; ++axis) bytes *= std::max<int64_t>((*shape)[axis], 0);
  return bytes;
}

struct Cost {
  int64_t bytes = 0, operations = 0;  // for one image
  int64_t images() const { return std::max<int64_t>(1, kCached / bytes); }
};

}  // namespace

void Plan::join_by_images() {
  const SlotFacts facts = slot_facts();
  const auto cost_of = [&](const Step& step) {
    Cost cost;
    if (!step.fusion) return cost;
    const Shape& result = step.members.back().specs[0].shape;
    const Shape* const filter = facts.shapes[static_cast<size_t>(step.inputs[1].slot)];
    const int64_t written = image_bytes(&result);
    cost.operations =
        step.fusion->operations_for_pixel(*filter) * (written / int64_t{sizeof(float)});
    int64_t read = written;
    for (size_t k = 0; k < step.inputs.size(); ++k) {
      if (!step.fusion->has_batch(k)) continue;
      const int64_t bytes = image_bytes(step.inputs[k].shape);
      read = bytes == 0 ? 0 : std::max(read, bytes);
      cost.bytes += bytes;
    }
    cost.bytes = cost.operations > 0 && read > 0 ? cost.bytes + written : 0;
    return cost;
  };

  std::vector<char> joined(steps_.size());
  std::vector<size_t> found;
  Cost total;
  int64_t least = 0, most = 0;  // images
  const auto finish = [&] {
    if (found.size() > 1 && total.operations < kManyOperations * total.bytes) {
      join_by_images(found, least, facts, joined);
    }
    found.clear();
    total = {};
  };
  std::vector<char> pending(static_cast<size_t>(num_slots_));  // results of the steps in `found`
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Cost cost = cost_of(steps_[i]);
    const auto reads_pending = [&](const Input& input) {
      return input.slot >= 0 && pending[static_cast<size_t>(input.slot)];
    };
    const bool reads = std::ranges::any_of(steps_[i].inputs, reads_pending);
    if (cost.bytes == 0) {
      // Other steps run before them, unless they need a result.
      if (reads) finish();
    } else if (!found.empty() &&
               (!reads_pending(steps_[i].inputs[0]) ||
                std::max(most, cost.images()) > kSpread * std::min(least, cost.images()))) {
      finish();
    }
    if (found.empty()) {
      std::ranges::fill(pending, 0);
      least = most = cost.bytes ? cost.images() : 0;
    }
    if (cost.bytes == 0) continue;
    found.push_back(i);
    pending[static_cast<size_t>(steps_[i].first_slot)] = 1;
    total.bytes += cost.bytes;
    total.operations += cost.operations;
    least = std::min(least, cost.images());
    most = std::max(most, cost.images());
  }
  finish();
  drop(joined);
}

// Puts these steps, as one, in the place of the last of them.
void Plan::join_by_images(std::span<const size_t> found, int64_t images, const SlotFacts& facts,
                          std::span<char> joined) {
  const Step& last = steps_[found.back()];
  Step whole{.node = last.node, .first_slot = last.first_slot};
  auto way = std::make_unique<ByImages>();
  way->images = images;
  std::vector<int32_t> maker(facts.readers.size(), -1), readers(facts.readers);
  for (size_t k = 0; k < found.size(); ++k) {
    const Step& step = steps_[found[k]];
    auto& sources = way->sources.emplace_back();
    for (const Input& input : step.inputs) {
      const auto slot = static_cast<size_t>(input.slot);
      sources.push_back(maker[slot]);
      --readers[slot];
      const auto same = [&](const Input& other) { return other.slot == input.slot; };
      if (maker[slot] < 0 && std::ranges::none_of(whole.inputs, same))
        whole.inputs.push_back(input);
    }
    maker[static_cast<size_t>(step.first_slot)] = static_cast<int32_t>(k);
  }
  for (const size_t i : found) {
    const auto slot = static_cast<size_t>(steps_[i].first_slot);
    way->kept.push_back(readers[slot] > 0);
    joined[i] = i != found.back();
    whole.members.push_back(std::move(steps_[i]));
  }
  whole.by_images = std::move(way);
  steps_[found.back()] = std::move(whole);
}

// Returns false, with nothing done, if the members have to run for all images at once.
bool PlanRun::run_by_images(const Plan::Step& step) {
  const Plan::ByImages& way = *step.by_images;
  const auto value_of = [&](const Plan::Input& input) -> const Tensor& {
    return slots_[static_cast<size_t>(input.slot)];
  };
  const Tensor& first = value_of(step.members[0].inputs[0]);
  const int64_t batch = first.rank() == 4 ? first.dim(0) : 0;
  if (batch < 2 * way.images) return false;
  const auto images_of = [&](const Tensor& all, int64_t begin, int64_t count) {
    all.impl()->settle();
    Shape shape = all.shape();
    shape[0] = count;
    return all.view_at(begin * (all.size() / batch), shape);
  };
  TensorList parts, wholes;  // results of the members, for some and for all images
  parts.resize(step.members.size());
  wholes.resize(step.members.size());
  for (int64_t begin = 0; begin < batch; begin += way.images) {
    const int64_t count = std::min(way.images, batch - begin);
    for (size_t k = 0; k < step.members.size(); ++k) {
      const Plan::Step& member = step.members[k];
      TensorList inputs, outputs;
      for (size_t j = 0; j < member.inputs.size(); ++j) {
        const int32_t source = way.sources[k][j];
        const Tensor& value = value_of(member.inputs[j]);
        if (source >= 0) {
          inputs.push_back(parts[static_cast<size_t>(source)]);
        } else if (!member.fusion->has_batch(j)) {
          inputs.push_back(value);
        } else if (value.rank() == 4 && value.dim(0) == batch) {
          inputs.push_back(images_of(value, begin, count));
        } else {
          return false;
        }
      }
      if (!member.fusion->run(inputs, outputs)) return false;
      parts[k] = std::move(outputs[0]);
      if (!way.kept[k]) continue;
      Tensor& whole = wholes[k];
      if (!whole) {
        Shape shape = parts[k].shape();
        shape[0] = batch;
        whole = Tensor::empty(DType::kFloat32, shape);
      }
      const int64_t elements = parts[k].size();
      std::memcpy(whole.mutable_data<float>() + begin * (elements / count), parts[k].data<float>(),
                  static_cast<size_t>(elements) * sizeof(float));
    }
  }
  for (size_t k = 0; k < step.members.size(); ++k) {
    if (wholes[k]) slots_[static_cast<size_t>(step.members[k].first_slot)] = std::move(wholes[k]);
  }
  for (const Plan::Input& input : step.inputs) {
    if (input.last) slots_[static_cast<size_t>(input.slot)] = {};
  }
  return true;
}

}  // namespace ef::graph
