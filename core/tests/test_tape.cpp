// The tape: gradients of small expressions, lifetimes of values, variables, symbolic tensors.
#include "eager/tape.h"

#include <algorithm>
#include <initializer_list>
#include <thread>

#include "eager/variable.h"
#include "graph/symbolic.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduction.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef {
namespace {

using test::check_values;
using test::tensor;
using test::vector;

// A tape that records while it lives.
class Recording {
 public:
  explicit Recording(bool persistent = false) : tape_(new Tape({.persistent = persistent})) {
    push_tape(tape_);
  }
  ~Recording() {
    stop();
    tape_->release();
  }
  void stop() { pop_tape(tape_); }
  Tape* operator->() { return tape_; }

  Tensor gradient(const Tensor& target, uint64_t source) {
    const Tensor none;
    const std::vector<Gradient> gradients = tape_->gradient({&target, 1}, {&none, 1}, {&source, 1});
    return gradients[0] ? densify(gradients[0]) : Tensor();
  }
  Tensor gradient(const Tensor& target, const Tensor& source) {
    return gradient(target, source.impl()->id());
  }

 private:
  Tape* tape_;
};

TEST(tape_multiplies) {
  const Tensor x = vector<float>({1, 2, 3});
  Recording tape;
  tape->watch(x);
  const Tensor y = x * x * 2.0;
  tape.stop();
  check_values<float>(tape.gradient(y, x), {4, 8, 12});
}

TEST(tapes_record_within_a_pause_of_others) {
  const Tensor x = vector<float>({3});
  Recording outer;
  outer->watch(x);
  Tensor unseen;
  {
    const StopRecording pause;
    CHECK(!recording());
    Recording inner;
    inner->watch(x);
    CHECK_EQUAL(active_tapes().size(), size_t{1});
    unseen = x * x;
    inner.stop();
    check_values<float>(inner.gradient(unseen, x), {6});
    outer.stop();  // it is below the pause on the stack of tapes
    CHECK(!recording());
  }
  CHECK(!recording());
  CHECK(!outer.gradient(unseen, x));
}

TEST(tapes_that_end_within_nested_pauses) {
  const auto active = [](std::initializer_list<Tape*> expected) {
    const auto found = active_tapes();
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  };
  // One of the three tapes ends during both pauses; checks which are active after each resume.
  for (const int ended : {0, 1, 2}) {
    Tape* tapes[3];
    for (Tape*& tape : tapes) tape = new Tape({});
    push_tape(tapes[0]);
    pause_recording();
    push_tape(tapes[1]);
    pause_recording();
    active({});
    push_tape(tapes[2]);
    active({tapes[2]});
    pop_tape(tapes[ended]);
    pop_tape(tapes[ended]);  // already popped: no effect
    if (ended == 2) {
      active({});
      push_tape(tapes[2]);
    }
    active({tapes[2]});
    resume_recording();
    ended == 1 ? active({tapes[2]}) : active({tapes[1], tapes[2]});
    resume_recording();
    resume_recording();  // one too many
    if (ended == 0) active({tapes[1], tapes[2]});
    if (ended == 1) active({tapes[0], tapes[2]});
    if (ended == 2) active({tapes[0], tapes[1], tapes[2]});
    for (Tape* tape : tapes) {
      pop_tape(tape);
      tape->release();
    }
    active({});
  }
}

TEST(tapes_that_only_watch_keep_nothing) {
  auto* variable = new Variable(vector<float>({2}), true);
  auto* tape = new Tape({.watch_only = true});
  push_tape(tape);
  const Tensor value = variable->read();
  const Tensor y = value * value;
  pop_tape(tape);
  CHECK_EQUAL(tape->watched_variables().size(), size_t{1});
  const Tensor none;
  const uint64_t source = variable->id();
  CHECK(!tape->gradient({&y, 1}, {&none, 1}, {&source, 1})[0]);
  tape->release();
  variable->release();
}

TEST(rows_of_gradients_come_from_one_pass) {
  const Tensor x = vector<float>({1, 2, 3});
  Recording tape;
  tape->watch(x);
  const Tensor y = x * x;
  tape.stop();
  const uint64_t source = x.impl()->id();
  const Tensor weights = tensor<float>({2, 3}, {1, 0, 0, 1, 1, 1});
  const auto rows = tape->gradients_of_rows(y, weights, {&source, 1});
  CHECK(rows[0].values.shape() == Shape({2, 3}));
  check_values<float>(rows[0].values, {2, 0, 0, 2, 4, 6});
}

TEST(tape_adds_up_all_paths) {
  const Tensor x = vector<double>({2});
  Recording tape;
  tape->watch(x);
  const Tensor y = x * 3.0 + x * x + x;
  tape.stop();
  check_values<double>(tape.gradient(y, x), {8});
}

TEST(tape_undoes_broadcasts) {
  const Tensor x = vector<float>({1, 2});
  const Tensor rows = tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  Recording tape;
  tape->watch(x);
  const Tensor y = rows * x;
  tape.stop();
  check_values<float>(tape.gradient(y, x), {9, 12});
}

TEST(tape_gives_nothing_without_a_path) {
  const Tensor x = vector<float>({1});
  const Tensor other = vector<float>({1});
  Recording tape;
  tape->watch(x);
  const Tensor y = other * 2.0;
  tape.stop();
  CHECK(!tape.gradient(y, x));
}

TEST(tape_is_used_up_unless_persistent) {
  const Tensor x = vector<float>({3});
  Recording tape(true);
  tape->watch(x);
  const Tensor y = x * x;
  tape.stop();
  check_values<float>(tape.gradient(y, x), {6});
  check_values<float>(tape.gradient(y, x), {6});
}

TEST(tape_differentiates_twice) {
  const Tensor x = vector<double>({3});
  Recording outer;
  outer->watch(x);
  Tensor first;
  {
    Recording inner;
    inner->watch(x);
    const Tensor y = x * x * x;
    inner.stop();
    first = inner.gradient(y, x);
  }
  outer.stop();
  check_values<double>(first, {27});
  check_values<double>(outer.gradient(first, x), {18});
}

TEST(tape_keeps_only_what_gradients_read) {
  const Tensor x = vector<float>({1, 2});
  Recording tape(true);
  tape->watch(x);
  const Tensor sum = x + 1.0;
  // Nothing but this handle and the local tape's identity holds the sum: adding keeps no values.
  CHECK(sum.exclusively_owned());
  const Tensor root = call(ops::exp, {sum});
  CHECK(!root.exclusively_owned());  // the gradient of exp reads its result
  tape.stop();
}

TEST(tape_pauses) {
  const Tensor x = vector<float>({1});
  Recording tape;
  tape->watch(x);
  CHECK(recording());
  {
    const StopRecording pause;
    CHECK(!recording());
  }
  CHECK(recording());
  std::thread([] { CHECK(!recording()); }).join();
}

TEST(tape_reads_variables) {
  auto* variable = new Variable(vector<float>({2}), true);
  Recording tape;
  const Tensor value = variable->read();
  const Tensor y = value * value;
  tape.stop();
  CHECK(tape->watches(*variable));
  check_values<float>(tape.gradient(y, variable->id()), {4});
  variable->release();
}

TEST(tape_differentiates_matrix_products) {
  const Tensor a = tensor<double>({2, 2}, {1, 2, 3, 4});
  const Tensor b = tensor<double>({2, 2}, {5, 6, 7, 8});
  Recording tape;
  tape->watch(a);
  const Tensor y = call(ops::matmul, {a, b}, ops::MatmulAttrs{});
  tape.stop();
  check_values<double>(tape.gradient(y, a), {11, 15, 11, 15});
}

TEST(variables_update_in_place_only_when_alone) {
  auto* variable = new Variable(vector<float>({1}), true);
  const Tensor before = variable->peek();
  variable->assign_add(vector<float>({2}));
  check_values<float>(before, {1});
  check_values<float>(variable->peek(), {3});
  const void* memory = variable->peek().raw_data();
  variable->assign_sub(vector<float>({1}));
  CHECK(variable->peek().raw_data() == memory);
  check_values<float>(variable->peek(), {2});
  variable->release();
}

TEST(symbols_are_inferred) {
  const Tensor x = symbolic({DType::kFloat32, {int64_t{1} << 40, 3}});
  const Tensor y = call(ops::reduce_sum, {x * 2.0}, ops::ReduceAttrs{.axis = Ints{1}});
  CHECK(is_symbolic(y));
  CHECK(y.shape() == Shape({int64_t{1} << 40}));
  CHECK_THROWS(Code::kTypeError, "not known", y.raw_data());
  CHECK_THROWS(Code::kInvalidArgument, "Incompatible shapes", x + vector<float>({1, 2}));
}

}  // namespace
}  // namespace ef
