// Errors.
// A null error is success. Whoever receives an error destroys it.

#ifndef PJRT_SYS_CORE_ERROR_H_
#define PJRT_SYS_CORE_ERROR_H_

#include "base.h"

/// Status codes, those of absl and gRPC.
typedef enum PJRT_Error_Code {
  PJRT_Error_Code_OK = 0,  ///< since 0.77
  PJRT_Error_Code_CANCELLED = 1,  ///< since 0.0
  PJRT_Error_Code_UNKNOWN = 2,  ///< since 0.0
  PJRT_Error_Code_INVALID_ARGUMENT = 3,  ///< since 0.0
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,  ///< since 0.0
  PJRT_Error_Code_NOT_FOUND = 5,  ///< since 0.0
  PJRT_Error_Code_ALREADY_EXISTS = 6,  ///< since 0.0
  PJRT_Error_Code_PERMISSION_DENIED = 7,  ///< since 0.0
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,  ///< since 0.0
  PJRT_Error_Code_FAILED_PRECONDITION = 9,  ///< since 0.0
  PJRT_Error_Code_ABORTED = 10,  ///< since 0.0
  PJRT_Error_Code_OUT_OF_RANGE = 11,  ///< since 0.0
  PJRT_Error_Code_UNIMPLEMENTED = 12,  ///< since 0.0
  PJRT_Error_Code_INTERNAL = 13,  ///< since 0.0
  PJRT_Error_Code_UNAVAILABLE = 14,  ///< since 0.0
  PJRT_Error_Code_DATA_LOSS = 15,  ///< since 0.0
  PJRT_Error_Code_UNAUTHENTICATED = 16,  ///< since 0.0
} PJRT_Error_Code;

typedef struct PJRT_Error PJRT_Error;

/// Arguments of PJRT_Error_Destroy.
typedef struct PJRT_Error_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_Error* error;  ///< in, since 0.0
} PJRT_Error_Destroy_Args;
PJRT_LAYOUT(PJRT_Error_Destroy_Args, error, 1:24)

/// Frees an error. A null error is accepted. The receiver of an error calls this exactly once.
/// Since 0.0.
typedef void PJRT_Error_Destroy(PJRT_Error_Destroy_Args* args);

/// Arguments of PJRT_Error_Message.
typedef struct PJRT_Error_Message_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_Error* error;  ///< in, since 0.0
  const char* message;  ///< out, since 0.0
  size_t message_size;  ///< out, since 0.0
} PJRT_Error_Message_Args;
PJRT_LAYOUT(PJRT_Error_Message_Args, message_size, 1:40)

/// Text of an error: length-delimited, valid until the error is destroyed. Returns nothing and
/// cannot fail. Since 0.0.
typedef void PJRT_Error_Message(PJRT_Error_Message_Args* args);

/// Receives one payload: key and value are lent for the call. Since 0.99.
typedef void (*PJRT_Error_PayloadVisitor)(
    const char* key, size_t key_size, const char* value, size_t value_size, void* user_arg);

/// Functions of an error object, so that it can cross to code that does not know which plugin
/// made it.
typedef struct PJRT_Error_FunctionTable {
  size_t struct_size;  ///< since 0.107
  size_t instance_size;  ///< since 0.107
  PJRT_Extension_Base* extension_start;  ///< since 0.107
  void (*destroy)(PJRT_Error*);  ///< since 0.107
  void (*message)(const PJRT_Error*, const char**, size_t*);  ///< since 0.107
  PJRT_Error_Code (*get_code)(const PJRT_Error*);  ///< since 0.107
  void (*for_each_payload)(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*);  ///< since 0.107
} PJRT_Error_FunctionTable;
PJRT_LAYOUT(PJRT_Error_FunctionTable, for_each_payload, 107:56)

/// An error begins with a pointer to its function table; the rest is private to its maker.
struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable;  ///< since 0.107
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_Error, vtable, 107:8)

/// Arguments of PJRT_Error_GetCode.
typedef struct PJRT_Error_GetCode_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_Error* error;  ///< in, since 0.0
  PJRT_Error_Code code;  ///< out, since 0.0
} PJRT_Error_GetCode_Args;
PJRT_LAYOUT(PJRT_Error_GetCode_Args, code, 1:28)

/// Status code of an error. Callers do not expect this to fail. Since 0.0.
typedef PJRT_Error* PJRT_Error_GetCode(PJRT_Error_GetCode_Args* args);

/// Arguments of PJRT_Error_ForEachPayload.
typedef struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;  ///< in, since 0.99
  PJRT_Extension_Base* extension_start;  ///< in, since 0.99
  const PJRT_Error* error;  ///< in, since 0.99
  PJRT_Error_PayloadVisitor visitor;  ///< in, since 0.99
  void* user_arg;  ///< in, since 0.99
} PJRT_Error_ForEachPayload_Args;
PJRT_LAYOUT(PJRT_Error_ForEachPayload_Args, user_arg, 99:40)

/// Calls the visitor once per payload of the error, synchronously; no payload is no call. Since
/// 0.99.
typedef PJRT_Error* PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args* args);

/// Given by the plugin to callbacks of the framework, so that they can make an error in the
/// plugin's own representation. The message is copied. Since 0.0.
typedef PJRT_Error* (*PJRT_CallbackError)(
    PJRT_Error_Code code, const char* message, size_t message_size);

#endif  // PJRT_SYS_CORE_ERROR_H_
