// Events.
// Single-assignment completion objects.

#ifndef PJRT_SYS_CORE_EVENT_H_
#define PJRT_SYS_CORE_EVENT_H_

#include "base.h"
#include "error.h"

/// Arguments of PJRT_Event_Destroy.
typedef struct PJRT_Event_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Event* event;  ///< in, since 0.0
} PJRT_Event_Destroy_Args;
PJRT_LAYOUT(PJRT_Event_Destroy_Args, event, 1:24)

/// Frees the handle of an event; a pending event still completes and still runs its callbacks.
/// Null is accepted. Since 0.0.
typedef PJRT_Error* PJRT_Event_Destroy(PJRT_Event_Destroy_Args* args);

/// Arguments of PJRT_Event_IsReady.
typedef struct PJRT_Event_IsReady_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Event* event;  ///< in, since 0.0
  bool is_ready;  ///< out, since 0.0
} PJRT_Event_IsReady_Args;
PJRT_LAYOUT(PJRT_Event_IsReady_Args, is_ready, 1:25)

/// Whether the event has completed, with or without an error. Never blocks. Since 0.0.
typedef PJRT_Error* PJRT_Event_IsReady(PJRT_Event_IsReady_Args* args);

/// Arguments of PJRT_Event_Error.
typedef struct PJRT_Event_Error_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Event* event;  ///< in, since 0.0
} PJRT_Event_Error_Args;
PJRT_LAYOUT(PJRT_Event_Error_Args, event, 1:24)

/// Outcome of a completed event: null, or a fresh error which the caller owns. Since 0.0.
typedef PJRT_Error* PJRT_Event_Error(PJRT_Event_Error_Args* args);

/// Arguments of PJRT_Event_Await.
typedef struct PJRT_Event_Await_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Event* event;  ///< in, since 0.0
} PJRT_Event_Await_Args;
PJRT_LAYOUT(PJRT_Event_Await_Args, event, 1:24)

/// Blocks until the event has completed and returns its outcome, as PJRT_Event_Error does.
/// Since 0.0.
typedef PJRT_Error* PJRT_Event_Await(PJRT_Event_Await_Args* args);

/// Receives the outcome of an event; owns the error, which is null on success. May destroy the
/// event. Since 0.0.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

/// Arguments of PJRT_Event_OnReady.
typedef struct PJRT_Event_OnReady_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Event* event;  ///< in, since 0.0
  PJRT_Event_OnReadyCallback callback;  ///< in, since 0.0
  void* user_arg;  ///< in, since 0.0
} PJRT_Event_OnReady_Args;
PJRT_LAYOUT(PJRT_Event_OnReady_Args, user_arg, 1:40)

/// Registers a callback that runs exactly once: at once on this thread if the event has
/// completed, else on the completing thread. Since 0.0.
typedef PJRT_Error* PJRT_Event_OnReady(PJRT_Event_OnReady_Args* args);

/// Arguments of PJRT_Event_Create.
typedef struct PJRT_Event_Create_Args {
  size_t struct_size;  ///< in, since 0.89
  PJRT_Extension_Base* extension_start;  ///< in, since 0.89
  PJRT_Event* event;  ///< out, since 0.89
} PJRT_Event_Create_Args;
PJRT_LAYOUT(PJRT_Event_Create_Args, event, 89:24)

/// Makes a pending event that the caller will complete with PJRT_Event_Set. Since 0.89.
typedef PJRT_Error* PJRT_Event_Create(PJRT_Event_Create_Args* args);

/// Arguments of PJRT_Event_Set.
typedef struct PJRT_Event_Set_Args {
  size_t struct_size;  ///< in, since 0.89
  PJRT_Extension_Base* extension_start;  ///< in, since 0.89
  PJRT_Event* event;  ///< in, since 0.89
  PJRT_Error_Code error_code;  ///< in, since 0.89
  const char* error_message;  ///< in, since 0.89
  size_t error_message_size;  ///< in, since 0.89
} PJRT_Event_Set_Args;
PJRT_LAYOUT(PJRT_Event_Set_Args, error_message_size, 89:48)

/// Completes an event made by PJRT_Event_Create; once only. Since 0.89.
typedef PJRT_Error* PJRT_Event_Set(PJRT_Event_Set_Args* args);

#endif  // PJRT_SYS_CORE_EVENT_H_
