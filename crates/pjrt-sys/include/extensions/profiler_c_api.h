// Profiler functions.
// The table that the profiler extension points to. Frameworks do not set struct_size in most of
// these Args, so it must not be checked.

#ifndef PJRT_SYS_EXTENSIONS_PROFILER_C_API_H_
#define PJRT_SYS_EXTENSIONS_PROFILER_C_API_H_

#include "../core/base.h"

#define PLUGIN_PROFILER_VERSION 1

// Opaque handles.
typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;
typedef struct PLUGIN_Profiler_ConsumeResult PLUGIN_Profiler_ConsumeResult;

/// Arguments of PLUGIN_Profiler_Error_Destroy.
typedef struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;  ///< in, since 0.34
  void* priv;  ///< in, since 0.34
  PLUGIN_Profiler_Error* error;  ///< in, since 0.34
} PLUGIN_Profiler_Error_Destroy_Args;
PJRT_LAYOUT(PLUGIN_Profiler_Error_Destroy_Args, error, 34:24)

/// Frees an error of the profiler. Since 0.34.
typedef void PLUGIN_Profiler_Error_Destroy(PLUGIN_Profiler_Error_Destroy_Args* args);

/// Arguments of PLUGIN_Profiler_Error_Message.
typedef struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;  ///< in, since 0.34
  void* priv;  ///< in, since 0.34
  const PLUGIN_Profiler_Error* error;  ///< in, since 0.34
  const char* message;  ///< out, since 0.34
  size_t message_size;  ///< out, since 0.34
} PLUGIN_Profiler_Error_Message_Args;
PJRT_LAYOUT(PLUGIN_Profiler_Error_Message_Args, message_size, 34:40)

/// Text of an error of the profiler; lives as long as the error. Since 0.34.
typedef void PLUGIN_Profiler_Error_Message(PLUGIN_Profiler_Error_Message_Args* args);

/// Arguments of PLUGIN_Profiler_Error_GetCode.
typedef struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;  ///< in, since 0.34
  void* priv;  ///< in, since 0.34
  const PLUGIN_Profiler_Error* error;  ///< in, since 0.34
  int code;  ///< out, since 0.34
} PLUGIN_Profiler_Error_GetCode_Args;
PJRT_LAYOUT(PLUGIN_Profiler_Error_GetCode_Args, code, 34:28)

/// Status code of an error of the profiler. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Error_GetCode(
    PLUGIN_Profiler_Error_GetCode_Args* args);

/// Arguments of PLUGIN_Profiler_Create.
typedef struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;  ///< in, since 0.34
  const char* options;  ///< in, since 0.34
  size_t options_size;  ///< in, since 0.34
  PLUGIN_Profiler* profiler;  ///< out, since 0.34
} PLUGIN_Profiler_Create_Args;
PJRT_LAYOUT_SIZE_UNSET(PLUGIN_Profiler_Create_Args, profiler, 34:32)

/// Makes a profiler from serialized ProfileOptions. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Create(PLUGIN_Profiler_Create_Args* args);

/// Arguments of PLUGIN_Profiler_Destroy.
typedef struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;  ///< in, since 0.34
  PLUGIN_Profiler* profiler;  ///< in, since 0.34
} PLUGIN_Profiler_Destroy_Args;
PJRT_LAYOUT_SIZE_UNSET(PLUGIN_Profiler_Destroy_Args, profiler, 34:16)

/// Frees a profiler and the data it collected. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Destroy(PLUGIN_Profiler_Destroy_Args* args);

/// Arguments of PLUGIN_Profiler_Start.
typedef struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;  ///< in, since 0.34
  PLUGIN_Profiler* profiler;  ///< in, since 0.34
} PLUGIN_Profiler_Start_Args;
PJRT_LAYOUT_SIZE_UNSET(PLUGIN_Profiler_Start_Args, profiler, 34:16)

/// Begins collecting. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Start(PLUGIN_Profiler_Start_Args* args);

/// Arguments of PLUGIN_Profiler_Stop.
typedef struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;  ///< in, since 0.34
  PLUGIN_Profiler* profiler;  ///< in, since 0.34
} PLUGIN_Profiler_Stop_Args;
PJRT_LAYOUT_SIZE_UNSET(PLUGIN_Profiler_Stop_Args, profiler, 34:16)

/// Ends collecting. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Stop(PLUGIN_Profiler_Stop_Args* args);

/// Arguments of PLUGIN_Profiler_CollectData.
typedef struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;  ///< in, since 0.34
  PLUGIN_Profiler* profiler;  ///< in, since 0.34
  uint8_t* buffer;  ///< in and out, since 0.34
  size_t buffer_size_in_bytes;  ///< out, since 0.34
} PLUGIN_Profiler_CollectData_Args;
PJRT_LAYOUT_SIZE_UNSET(PLUGIN_Profiler_CollectData_Args, buffer_size_in_bytes, 34:32)

/// Serialized XSpace with what was collected. Frameworks call this once with a null buffer and
/// then read the buffer and size that the plugin wrote; the plugin owns the bytes. Since 0.34.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_CollectData(PLUGIN_Profiler_CollectData_Args* args);

/// Arguments of PLUGIN_Profiler_Consume.
typedef struct PLUGIN_Profiler_Consume_Args {
  size_t struct_size;  ///< in, since 0.113
  PLUGIN_Profiler* profiler;  ///< in, since 0.113
  PLUGIN_Profiler_ConsumeResult* result;  ///< out, since 0.113
} PLUGIN_Profiler_Consume_Args;
PJRT_LAYOUT(PLUGIN_Profiler_Consume_Args, result, 113:24)

/// Moves the collected data into a result object. Since 0.113.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Consume(PLUGIN_Profiler_Consume_Args* args);

/// Arguments of PLUGIN_Profiler_ConsumeResult_Destroy.
typedef struct PLUGIN_Profiler_ConsumeResult_Destroy_Args {
  size_t struct_size;  ///< in, since 0.113
  PLUGIN_Profiler_ConsumeResult* consume_result;  ///< in, since 0.113
} PLUGIN_Profiler_ConsumeResult_Destroy_Args;
PJRT_LAYOUT(PLUGIN_Profiler_ConsumeResult_Destroy_Args, consume_result, 113:16)

/// Frees a result object. Since 0.113.
typedef void PLUGIN_Profiler_ConsumeResult_Destroy(
    PLUGIN_Profiler_ConsumeResult_Destroy_Args* args);

/// Arguments of PLUGIN_Profiler_Serialize.
typedef struct PLUGIN_Profiler_Serialize_Args {
  size_t struct_size;  ///< in, since 0.113
  PLUGIN_Profiler* profiler;  ///< in, since 0.113
  PLUGIN_Profiler_ConsumeResult* consume_result;  ///< in, since 0.113
  const uint8_t* serialized_bytes;  ///< out, since 0.113
  size_t serialized_size;  ///< out, since 0.113
} PLUGIN_Profiler_Serialize_Args;
PJRT_LAYOUT(PLUGIN_Profiler_Serialize_Args, serialized_size, 113:40)

/// Bytes of a result object. Since 0.113.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Serialize(PLUGIN_Profiler_Serialize_Args* args);

/// Functions of the profiler. Frameworks require it to reach collect_data and test the younger
/// members.
typedef struct PLUGIN_Profiler_Api {
  size_t struct_size;  ///< since 0.34
  void* priv;  ///< since 0.34
  PLUGIN_Profiler_Error_Destroy* error_destroy;  ///< since 0.34
  PLUGIN_Profiler_Error_Message* error_message;  ///< since 0.34
  PLUGIN_Profiler_Error_GetCode* error_get_code;  ///< since 0.34
  PLUGIN_Profiler_Create* create;  ///< since 0.34
  PLUGIN_Profiler_Destroy* destroy;  ///< since 0.34
  PLUGIN_Profiler_Start* start;  ///< since 0.34
  PLUGIN_Profiler_Stop* stop;  ///< since 0.34
  PLUGIN_Profiler_CollectData* collect_data;  ///< since 0.34
  PLUGIN_Profiler_Consume* consume;  ///< since 0.113
  PLUGIN_Profiler_ConsumeResult_Destroy* consume_result_destroy;  ///< since 0.113
  PLUGIN_Profiler_Serialize* serialize;  ///< since 0.113
} PLUGIN_Profiler_Api;
PJRT_LAYOUT(PLUGIN_Profiler_Api, serialize, 34:80, 113:104)

#endif  // PJRT_SYS_EXTENSIONS_PROFILER_C_API_H_
