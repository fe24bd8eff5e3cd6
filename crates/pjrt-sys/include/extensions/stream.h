// Extension: streams.
// Native streams for DLPack exchange on accelerators.

#ifndef PJRT_SYS_EXTENSIONS_STREAM_H_
#define PJRT_SYS_EXTENSIONS_STREAM_H_

#include "../core/base.h"

#define PJRT_API_STREAM_EXTENSION_VERSION 0

/// Arguments of PJRT_Get_Stream_For_External_Ready_Events.
typedef struct PJRT_Get_Stream_For_External_Ready_Events_Args {
  size_t struct_size;  ///< in, since 0.49
  PJRT_Device* device;  ///< in, since 0.49
  intptr_t stream;  ///< out, since 0.49
} PJRT_Get_Stream_For_External_Ready_Events_Args;
PJRT_LAYOUT(PJRT_Get_Stream_For_External_Ready_Events_Args, stream, 49:24)

/// Native stream on which others may record readiness. Since 0.49.
typedef PJRT_Error* PJRT_Get_Stream_For_External_Ready_Events(
    PJRT_Get_Stream_For_External_Ready_Events_Args* args);

/// Arguments of PJRT_Wait_Until_Buffer_Ready_On_Stream.
typedef struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
  size_t struct_size;  ///< in, since 0.49
  intptr_t stream;  ///< in, since 0.49
  PJRT_Buffer* buffer;  ///< in, since 0.49
} PJRT_Wait_Until_Buffer_Ready_On_Stream_Args;
PJRT_LAYOUT(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer, 49:24)

/// Makes a native stream wait for a buffer. Since 0.49.
typedef PJRT_Error* PJRT_Wait_Until_Buffer_Ready_On_Stream(
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Stream_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_Get_Stream_For_External_Ready_Events* get_stream;  ///< since 0.68
  PJRT_Wait_Until_Buffer_Ready_On_Stream* wait_stream;  ///< since 0.68
} PJRT_Stream_Extension;
PJRT_LAYOUT(PJRT_Stream_Extension, wait_stream, 68:40)

PJRT_EXTENSION(PJRT_Stream_Extension, PJRT_Extension_Type_Stream, PJRT_API_STREAM_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_STREAM_H_
