// Parts of images, resized, and the gradients of that.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "device/parallel.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/images.h"
#include "kernels/cpu/typed.h"
#include "ops/images.h"

namespace ef::cpu {
namespace {

// The position of a sample between two rows or two columns of an image.
struct Sample {
  bool inside = false;
  int64_t low = 0;
  int64_t high = 0;
  float share = 0;  // the weight of the higher one
  int64_t nearest = 0;
};

// The samples of a box along an axis.
struct Samples {
  Samples(float begin, float end, int64_t size, int64_t count)
      : last(static_cast<float>(size - 1)),
        first(count > 1 ? begin * last : 0.5f * (begin + end) * last),
        step(count > 1 ? (end - begin) * last / static_cast<float>(count - 1) : 0) {}

  Sample at(int64_t i) const {
    const float place = first + static_cast<float>(i) * step;
    Sample sample;
    sample.inside = place >= 0 && place <= last;
    if (!sample.inside) return sample;
    sample.low = static_cast<int64_t>(std::floor(place));
    sample.high = static_cast<int64_t>(std::ceil(place));
    sample.share = place - static_cast<float>(sample.low);
    sample.nearest = static_cast<int64_t>(std::round(place));
    return sample;
  }

  float last;
  float first;
  float step;
};

// Images, boxes and crop sizes, as all three operations use them.
struct Crops {
  Crops(const Shape& images, const Tensor& boxes, const Tensor& indices, const Shape& crops)
      : batch(images[0]),
        height(images[1]),
        width(images[2]),
        channels(images[3]),
        rows(crops[1]),
        columns(crops[2]),
        count(indices.size()),
        boxes(boxes.data<float>()),
        indices(indices.data<int32_t>()) {
    for (int64_t i = 0; i < count; ++i) {
      if (this->indices[i] < 0 || this->indices[i] >= batch) {
        fail(Code::kOutOfRange, "box_index has values outside [0, batch_size)");
      }
    }
  }
  Samples down(int64_t box) const { return {boxes[box * 4], boxes[box * 4 + 2], height, rows}; }
  Samples aside(int64_t box) const {
    return {boxes[box * 4 + 1], boxes[box * 4 + 3], width, columns};
  }
  // The first element of a row of the image that a box is cut from.
  int64_t row(int64_t box, int64_t y) const {
    return (indices[box] * height + y) * width * channels;
  }
  int64_t cost() const { return columns * channels * 4 + 1; }

  int64_t batch;
  int64_t height;
  int64_t width;
  int64_t channels;
  int64_t rows;
  int64_t columns;
  int64_t count;
  const float* boxes;
  const int32_t* indices;
};

constexpr int64_t kCropGrain = 65'536;

template <class T>
float number(T value) {
  return static_cast<float>(arithmetic(value));
}

}  // namespace

void crop_and_resize(KernelContext& context) {
  const Tensor& images = context.input(0);
  const Tensor& out = context.output(0);
  const Crops crops(images.shape(), context.input(1), context.input(2), out.shape());
  if (out.size() == 0) return;
  const auto& attrs = context.attrs<ops::CropAttrs>();
  const bool nearest = attrs.method == ops::CropMethod::kNearest;
  const auto blank = static_cast<float>(attrs.extrapolation_value);
  const int64_t channels = crops.channels;
  float* const to = out.mutable_data<float>();
  on_real_type(images.dtype(), [&]<class T>(T) {
    const T* const pixels = images.data<T>();
    parallel_for(crops.count * crops.rows, kCropGrain / crops.cost() + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t box = i / crops.rows;
                     const Sample y = crops.down(box).at(i % crops.rows);
                     float* pixel = to + i * crops.columns * channels;
                     if (!y.inside) {
                       std::fill_n(pixel, crops.columns * channels, blank);
                       continue;
                     }
                     const Samples aside = crops.aside(box);
                     const T* const upper = pixels + crops.row(box, nearest ? y.nearest : y.low);
                     const T* const lower = pixels + crops.row(box, y.high);
                     for (int64_t k = 0; k < crops.columns; ++k, pixel += channels) {
                       const Sample x = aside.at(k);
                       if (!x.inside) {
                         std::fill_n(pixel, channels, blank);
                         continue;
                       }
                       if (nearest) {
                         for (int64_t c = 0; c < channels; ++c) {
                           pixel[c] = number(upper[x.nearest * channels + c]);
                         }
                         continue;
                       }
                       const int64_t left = x.low * channels;
                       const int64_t right = x.high * channels;
                       for (int64_t c = 0; c < channels; ++c) {
                         const float high = number(upper[left + c]);
                         const float low = number(lower[left + c]);
                         const float top = high + (number(upper[right + c]) - high) * x.share;
                         const float bottom = low + (number(lower[right + c]) - low) * x.share;
                         pixel[c] = top + (bottom - top) * y.share;
                       }
                     }
                   }
                 });
  });
}

void crop_and_resize_grad_image(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const Tensor& out = context.output(0);
  const Crops crops(out.shape(), context.input(1), context.input(2), dy.shape());
  fill_constant(out, 0);
  if (out.size() == 0 || dy.size() == 0) return;
  const bool nearest = context.attrs<ops::CropGradImageAttrs>().method == ops::CropMethod::kNearest;
  const int64_t channels = crops.channels;
  const float* const from = dy.data<float>();
  on_real_type(out.dtype(), [&]<class T>(T) {
    T* const pixels = out.mutable_data<T>();
    const auto add = [channels](T* pixel, const float* gradient, float share) {
      for (int64_t c = 0; c < channels; ++c) {
        pixel[c] = static_cast<T>(number(pixel[c]) + gradient[c] * share);
      }
    };
    const auto add_row = [&](int64_t box, int64_t row, const float* gradient, float share) {
      T* const pixel = pixels + crops.row(box, row);
      const Samples aside = crops.aside(box);
      for (int64_t k = 0; k < crops.columns; ++k, gradient += channels) {
        const Sample x = aside.at(k);
        if (!x.inside) continue;
        if (nearest) {
          add(pixel + x.nearest * channels, gradient, 1);
        } else {
          add(pixel + x.low * channels, gradient, share * (1 - x.share));
          add(pixel + x.high * channels, gradient, share * x.share);
        }
      }
    };
    // Each thread adds to its own rows.
    const int64_t work = dy.size() * 4 / std::max<int64_t>(1, crops.batch * crops.height) + 1;
    parallel_for(
        crops.batch * crops.height, kCropGrain / work + 1, [&](int64_t begin, int64_t end) {
          for (int64_t box = 0; box < crops.count; ++box) {
            const int64_t first = begin - crops.indices[box] * crops.height;
            const int64_t last = end - crops.indices[box] * crops.height;
            if (last <= 0 || first >= crops.height) continue;
            const Samples down = crops.down(box);
            for (int64_t r = 0; r < crops.rows; ++r) {
              const Sample y = down.at(r);
              if (!y.inside) continue;
              const float* gradient = from + (box * crops.rows + r) * crops.columns * channels;
              const auto mine = [=](int64_t row) { return row >= first && row < last; };
              if (nearest) {
                if (mine(y.nearest)) add_row(box, y.nearest, gradient, 1);
                continue;
              }
              if (mine(y.low)) add_row(box, y.low, gradient, 1 - y.share);
              if (mine(y.high)) add_row(box, y.high, gradient, y.share);
            }
          }
        });
  });
}

void crop_and_resize_grad_boxes(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const Tensor& images = context.input(1);
  const Tensor& out = context.output(0);
  const Crops crops(images.shape(), context.input(2), context.input(3), dy.shape());
  fill_constant(out, 0);
  if (images.size() == 0 || dy.size() == 0) return;
  const int64_t channels = crops.channels;
  const float* const from = dy.data<float>();
  // The weights of the first edge and the second in the coordinate of sample i.
  const auto spread = [](float last, int64_t i, int64_t count, float* first, float* second) {
    const float share = count > 1 ? static_cast<float>(i) / static_cast<float>(count - 1) : 0.5f;
    *first = last * (1 - share);
    *second = last * share;
  };
  on_real_type(images.dtype(), [&]<class T>(T) {
    const T* const pixels = images.data<T>();
    parallel_for(crops.count, kCropGrain / (crops.cost() * crops.rows) + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t box = begin; box < end; ++box) {
                     const Samples down = crops.down(box);
                     const Samples aside = crops.aside(box);
                     float* const edges = out.mutable_data<float>() + box * 4;
                     for (int64_t r = 0; r < crops.rows; ++r) {
                       const Sample y = down.at(r);
                       if (!y.inside) continue;
                       float top;
                       float bottom;
                       spread(down.last, r, crops.rows, &top, &bottom);
                       const T* const upper = pixels + crops.row(box, y.low);
                       const T* const lower = pixels + crops.row(box, y.high);
                       for (int64_t k = 0; k < crops.columns; ++k) {
                         const Sample x = aside.at(k);
                         if (!x.inside) continue;
                         const float* gradient =
                             from + ((box * crops.rows + r) * crops.columns + k) * channels;
                         const int64_t near = x.low * channels;
                         const int64_t far = x.high * channels;
                         float along_y = 0;
                         float along_x = 0;
                         for (int64_t c = 0; c < channels; ++c) {
                           const float a = number(upper[near + c]);
                           const float b = number(upper[far + c]);
                           const float d = number(lower[near + c]);
                           const float e = number(lower[far + c]);
                           along_y += gradient[c] * ((1 - x.share) * (d - a) + x.share * (e - b));
                           along_x += gradient[c] * ((1 - y.share) * (b - a) + y.share * (e - d));
                         }
                         float left;
                         float right;
                         spread(aside.last, k, crops.columns, &left, &right);
                         edges[0] += along_y * top;
                         edges[1] += along_x * left;
                         edges[2] += along_y * bottom;
                         edges[3] += along_x * right;
                       }
                     }
                   }
                 });
  });
}

}  // namespace ef::cpu
