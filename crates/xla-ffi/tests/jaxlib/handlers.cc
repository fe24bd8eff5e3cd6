// Handlers as users of jax.ffi write them, compiled with the headers of whatever jaxlib is at hand. They use every
// service of the host that C++ handlers can reach.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static int64_t deleted = 0;

struct Counter {
  static ffi::TypeId id;
  int64_t value;
  ~Counter() { deleted += 1; }
};
ffi::TypeId Counter::id = {};

struct Shared {
  static ffi::TypeId id;
  float value;
};
ffi::TypeId Shared::id = {};

extern "C" int64_t Deleted() { return deleted; }
extern "C" int64_t SharedId() { return Shared::id.type_id; }

// Gives both types a number, by the table of the host. Returns null or the host's error.
extern "C" XLA_FFI_Error* RegisterTypes(const XLA_FFI_Api* api) {
#if XLA_FFI_API_MINOR >= 2
  static const XLA_FFI_TypeInfo counter = ffi::MakeTypeInfo<Counter>();
  static const XLA_FFI_TypeInfo shared = ffi::MakeTypeInfo<Shared>();
  if (auto* error = ffi::Ffi::RegisterTypeId(api, "cc.Counter", &Counter::id, &counter)) return error;
  return ffi::Ffi::RegisterTypeId(api, "cc.Shared", &Shared::id, &shared);
#else
  // The arguments of 0.1 are shorter, and only handlers are known to be that old.
  Counter::id.type_id = 501;
  Shared::id.type_id = 502;
  return nullptr;
#endif
}

// y = factor * x + sum(list) + dict.k, if the name is right.
static ffi::Error ScaleImpl(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float factor,
                            std::string_view name, ffi::Span<const int64_t> list, ffi::Dictionary dict) {
  if (name != "linear") return ffi::Error::InvalidArgument("no such function");
  auto k = dict.get<int32_t>("k");
  if (k.has_error()) return k.error();
  float shift = static_cast<float>(*k);
  for (int64_t value : list) shift += static_cast<float>(value);
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = factor * x.typed_data()[i] + shift;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scale, ScaleImpl,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("factor")
                                  .Attr<std::string_view>("name")
                                  .Attr<ffi::Span<const int64_t>>("list")
                                  .Attr<ffi::Dictionary>("dict"));

// Counts its executions from a start that is an attribute. Up to 0.1 every function of a handler binds all of them.
static ffi::ErrorOr<std::unique_ptr<Counter>> CountInstantiateImpl(int64_t start) {
  auto counter = std::make_unique<Counter>();
  counter->value = start;
  return ffi::ErrorOr<std::unique_ptr<Counter>>(std::move(counter));
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInstantiate, CountInstantiateImpl,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));

static ffi::Error CountImpl(Counter* counter, ffi::ResultBufferR0<ffi::F32> result, int64_t) {
  *result->typed_data() = static_cast<float>(counter->value++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Count, CountImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Ret<ffi::BufferR0<ffi::F32>>()
                                  .Attr<int64_t>("start"));

// Adds the numbers of all arguments on the thread pool, into every result.
static ffi::Future SumLaterImpl(ffi::ThreadPool pool, ffi::RemainingArgs args, ffi::RemainingRets rets) {
  ffi::Promise promise;
  ffi::Future future(promise);
  bool negative = pool.num_threads() < 1;
  pool.Schedule([args, rets, promise = std::move(promise), negative]() mutable {
    float sum = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      auto buffer = args.get<ffi::BufferR0<ffi::F32>>(i);
      sum += *buffer->typed_data();
    }
    if (negative || sum < 0) return promise.SetError(ffi::Error::Internal("the sum is negative"));
    for (size_t i = 0; i < rets.size(); ++i) {
      auto buffer = rets.get<ffi::BufferR0<ffi::F32>>(i);
      *(*buffer)->typed_data() = sum;
    }
    promise.SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(SumLater, SumLaterImpl,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().RemainingArgs().RemainingRets());

// Reverses through scratch memory, and adds the user data.
static ffi::Error ReverseImpl(ffi::ScratchAllocator scratch, Shared* shared, ffi::AnyBuffer x,
                              ffi::Result<ffi::AnyBuffer> y) {
  size_t count = x.element_count();
  auto memory = scratch.Allocate(count * sizeof(float), 256);
  if (!memory.has_value()) return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no scratch memory");
  auto* reversed = static_cast<float*>(*memory);
  if (reinterpret_cast<uintptr_t>(reversed) % 256 != 0) return ffi::Error::Internal("scratch memory is not aligned");
  auto* from = static_cast<float*>(x.untyped_data());
  for (size_t i = 0; i < count; ++i) reversed[i] = from[count - 1 - i] + shared->value;
  for (size_t i = 0; i < count; ++i) static_cast<float*>(y->untyped_data())[i] = reversed[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Reverse, ReverseImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::UserData<Shared>>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>());

// A platform without streams cannot bind one.
static ffi::Error StreamImpl(void*, ffi::ResultBufferR0<ffi::F32>) { return ffi::Error::Success(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Stream, StreamImpl,
                              ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ret<ffi::BufferR0<ffi::F32>>());

#if XLA_FFI_API_MINOR >= 2
static ffi::Error WhereImpl(ffi::RunId run, int32_t device, ffi::ResultBufferR0<ffi::F32> result) {
  *result->typed_data() = static_cast<float>(run.run_id * 100 + device);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Where, WhereImpl,
                              ffi::Ffi::Bind().Ctx<ffi::RunId>().Ctx<ffi::DeviceOrdinal>().Ret<
                                  ffi::BufferR0<ffi::F32>>());
#endif

#if XLA_FFI_API_MINOR >= 5
static ffi::Error OptionsImpl(ffi::Dictionary options, ffi::ResultBufferR0<ffi::F32> result) {
  auto scale = options.get<double>("scale");
  if (scale.has_error()) return scale.error();
  *result->typed_data() = static_cast<float>(*scale);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Options, OptionsImpl,
                              ffi::Ffi::Bind().Ctx<ffi::CustomOptions>().Ret<ffi::BufferR0<ffi::F32>>());
#endif
