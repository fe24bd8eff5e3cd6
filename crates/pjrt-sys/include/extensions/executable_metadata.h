// Extension: executable metadata.
// Its Args have no struct_size.

#ifndef PJRT_SYS_EXTENSIONS_EXECUTABLE_METADATA_H_
#define PJRT_SYS_EXTENSIONS_EXECUTABLE_METADATA_H_

#include "../core/base.h"

#define PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION 1

/// Serialized metadata and its length.
typedef struct PJRT_ExecutableMetadata {
  const char* serialized_metadata;  ///< since 0.75
  size_t serialized_metadata_size;  ///< since 0.75
} PJRT_ExecutableMetadata;
PJRT_NO_LAYOUT(PJRT_ExecutableMetadata)

/// Arguments of PJRT_ExecutableMetadata_GetExecutableMetadata.
typedef struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  PJRT_Executable* executable;  ///< in, since 0.75
  PJRT_ExecutableMetadata* metadata;  ///< out, since 0.75
} PJRT_ExecutableMetadata_GetExecutableMetadata_Args;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, metadata, 75:16)

/// Serialized metadata of an executable. Since 0.75.
typedef PJRT_Error* (*PJRT_ExecutableMetadata_GetExecutableMetadata)(
    PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);

/// Arguments of PJRT_ExecutableMetadata_DestroySerializedMetadata.
typedef struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  PJRT_ExecutableMetadata* metadata;  ///< in, since 0.75
} PJRT_ExecutableMetadata_DestroySerializedMetadata_Args;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata, 75:8)

/// Frees serialized metadata. Since 0.75.
typedef void (*PJRT_ExecutableMetadata_DestroySerializedMetadata)(
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;  ///< since 0.75
  PJRT_ExecutableMetadata_GetExecutableMetadata get_executable_metadata;  ///< since 0.75
  PJRT_ExecutableMetadata_DestroySerializedMetadata destroy_serialized_metadata;  ///< since 0.75
} PJRT_ExecutableMetadata_Extension;
PJRT_LAYOUT(PJRT_ExecutableMetadata_Extension, destroy_serialized_metadata, 75:40)

PJRT_EXTENSION(PJRT_ExecutableMetadata_Extension, PJRT_Extension_Type_ExecutableMetadata, PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_EXECUTABLE_METADATA_H_
