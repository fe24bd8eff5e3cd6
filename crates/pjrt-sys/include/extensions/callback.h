// Extension: callbacks.
// Callbacks that a framework registers with a client.

#ifndef PJRT_SYS_EXTENSIONS_CALLBACK_H_
#define PJRT_SYS_EXTENSIONS_CALLBACK_H_

#include "../core/base.h"
#include "../core/error.h"

#define PJRT_API_CALLBACK_EXTENSION_VERSION 1

/// What a callback is about.
typedef enum PJRT_Callback_Type {
  PJRT_Callback_Type_Unknown = 0,  ///< since 0.77
  PJRT_Callback_Type_Tpu_SliceBuilder = 1,  ///< since 0.77
  PJRT_Callback_Type_Prefatal = 2,  ///< since 0.77
} PJRT_Callback_Type;

/// Why building a slice failed.
typedef enum PJRT_Callback_Tpu_SliceFailureType {
  SLICE_FAILURE_UNKNOWN = 0,  ///< since 0.77
  SLICE_FAILURE_INIT_ERROR = 1,  ///< since 0.77
  SLICE_FAILURE_WORKER_UNAVAILABLE = 2,  ///< since 0.77
  SLICE_FAILURE_FLAPPING_TASK_ERROR = 3,  ///< since 0.77
  SLICE_FAILURE_SW_INJECT_ERROR = 4,  ///< since 0.77
  SLICE_FAILURE_CHIP_DRIVER_ERROR = 5,  ///< since 0.77
} PJRT_Callback_Tpu_SliceFailureType;

/// Argument of a slice builder callback.
typedef struct PJRT_Callback_Tpu_SliceBuilderArgs {
  size_t struct_size;  ///< since 0.77
  PJRT_Callback_Tpu_SliceFailureType failure_type;  ///< since 0.77
} PJRT_Callback_Tpu_SliceBuilderArgs;
PJRT_LAYOUT(PJRT_Callback_Tpu_SliceBuilderArgs, failure_type, 77:12)

/// Argument of the callback that runs before a fatal error; valid during the call.
typedef struct PJRT_Callback_PrefatalArgs {
  size_t struct_size;  ///< since 0.77
  PJRT_Error_Code error_code;  ///< since 0.77
  const char* error_message;  ///< since 0.77
  size_t error_message_size;  ///< since 0.77
} PJRT_Callback_PrefatalArgs;
PJRT_LAYOUT(PJRT_Callback_PrefatalArgs, error_message_size, 77:32)

/// A registered callback; the type of args depends on the callback type.
typedef void PJRT_Callback_Function(void* args, void* user_arg);

/// Arguments of PJRT_Callback_RegisterCallback.
typedef struct PJRT_Callback_RegisterCallback_Args {
  size_t struct_size;  ///< in, since 0.77
  PJRT_Client* client;  ///< in, since 0.77
  PJRT_Callback_Type type;  ///< in, since 0.77
  PJRT_Callback_Function* callback;  ///< in, since 0.77
  void* user_arg;  ///< in, since 0.77
} PJRT_Callback_RegisterCallback_Args;
PJRT_LAYOUT(PJRT_Callback_RegisterCallback_Args, user_arg, 77:40)

/// Arguments of PJRT_Callback_InvokeCallback.
typedef struct PJRT_Callback_InvokeCallback_Args {
  size_t struct_size;  ///< in, since 0.77
  PJRT_Client* client;  ///< in, since 0.77
  PJRT_Callback_Type type;  ///< in, since 0.77
  void* args;  ///< in, since 0.77
} PJRT_Callback_InvokeCallback_Args;
PJRT_LAYOUT(PJRT_Callback_InvokeCallback_Args, args, 77:32)

/// Runs the callbacks of one type, synchronously. Since 0.77.
typedef PJRT_Error* PJRT_Callback_InvokeCallback(PJRT_Callback_InvokeCallback_Args* args);

/// Registers a callback of a client for one type. Since 0.77.
typedef PJRT_Error* PJRT_Register_Callback(PJRT_Callback_RegisterCallback_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Callback_Extension {
  PJRT_Extension_Base base;  ///< since 0.77
  PJRT_Register_Callback* register_callback;  ///< since 0.77
  PJRT_Callback_InvokeCallback* invoke_callback;  ///< since 0.77
} PJRT_Callback_Extension;
PJRT_LAYOUT(PJRT_Callback_Extension, invoke_callback, 77:40)

PJRT_EXTENSION(PJRT_Callback_Extension, PJRT_Extension_Type_Callback, PJRT_API_CALLBACK_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_CALLBACK_H_
