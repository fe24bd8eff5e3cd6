// Extension: ABI version.
// Whether serialized executables fit a runtime.

#ifndef PJRT_SYS_EXTENSIONS_ABI_VERSION_H_
#define PJRT_SYS_EXTENSIONS_ABI_VERSION_H_

#include "../core/base.h"

#define PJRT_API_ABI_VERSION_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_RuntimeAbiVersion PJRT_RuntimeAbiVersion;
typedef struct PJRT_ExecutableAbiVersion PJRT_ExecutableAbiVersion;
typedef struct PJRT_SerializedProto PJRT_SerializedProto;

/// Arguments of PJRT_Client_RuntimeAbiVersion.
typedef struct PJRT_Client_RuntimeAbiVersion_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Client* client;  ///< in, since 0.91
  PJRT_RuntimeAbiVersion* abi_version;  ///< out, since 0.91
} PJRT_Client_RuntimeAbiVersion_Args;
PJRT_LAYOUT(PJRT_Client_RuntimeAbiVersion_Args, abi_version, 91:24)

/// ABI version of the runtime behind a client. Since 0.91.
typedef PJRT_Error* PJRT_Client_RuntimeAbiVersion(PJRT_Client_RuntimeAbiVersion_Args* args);

/// Arguments of PJRT_Executable_GetAbiVersion.
typedef struct PJRT_Executable_GetAbiVersion_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Executable* executable;  ///< in, since 0.91
  PJRT_ExecutableAbiVersion* abi_version;  ///< out, since 0.91
} PJRT_Executable_GetAbiVersion_Args;
PJRT_LAYOUT(PJRT_Executable_GetAbiVersion_Args, abi_version, 91:24)

/// ABI version that an executable was made for. Since 0.91.
typedef PJRT_Error* PJRT_Executable_GetAbiVersion(PJRT_Executable_GetAbiVersion_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_Destroy.
typedef struct PJRT_RuntimeAbiVersion_Destroy_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_RuntimeAbiVersion* abi_version;  ///< in, since 0.91
} PJRT_RuntimeAbiVersion_Destroy_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_Destroy_Args, abi_version, 91:16)

/// Frees a runtime ABI version. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_Destroy(PJRT_RuntimeAbiVersion_Destroy_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime.
typedef struct PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_RuntimeAbiVersion* abi_version;  ///< in, since 0.91
  const PJRT_RuntimeAbiVersion* other_abi_version;  ///< in, since 0.91
} PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, other_abi_version, 91:24)

/// Null when two runtimes are compatible, else an error that says why not. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime(
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable.
typedef struct PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_RuntimeAbiVersion* abi_version;  ///< in, since 0.91
  const PJRT_ExecutableAbiVersion* executable_abi_version;  ///< in, since 0.91
} PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, executable_abi_version, 91:24)

/// Null when the runtime can load the executable, else an error that says why not. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable(
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_ToProto.
typedef struct PJRT_RuntimeAbiVersion_ToProto_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_RuntimeAbiVersion* abi_version;  ///< in, since 0.91
  const char* serialized_proto;  ///< out, since 0.91
  size_t serialized_proto_size;  ///< out, since 0.91
  PJRT_SerializedProto* serialized_proto_holder;  ///< out, since 0.91
  void (*serialized_proto_deleter)(PJRT_SerializedProto*);  ///< out, since 0.91
} PJRT_RuntimeAbiVersion_ToProto_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto_deleter, 91:48)

/// Serialized form, in a holder that the caller frees with the returned deleter. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_ToProto(PJRT_RuntimeAbiVersion_ToProto_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_PlatformId.
typedef struct PJRT_RuntimeAbiVersion_PlatformId_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_RuntimeAbiVersion* abi_version;  ///< in, since 0.91
  uint64_t platform_id;  ///< out, since 0.91
} PJRT_RuntimeAbiVersion_PlatformId_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_PlatformId_Args, platform_id, 91:24)

/// Number of the platform. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_PlatformId(PJRT_RuntimeAbiVersion_PlatformId_Args* args);

/// Arguments of PJRT_ExecutableAbiVersion_Destroy.
typedef struct PJRT_ExecutableAbiVersion_Destroy_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_ExecutableAbiVersion* abi_version;  ///< in, since 0.91
} PJRT_ExecutableAbiVersion_Destroy_Args;
PJRT_LAYOUT(PJRT_ExecutableAbiVersion_Destroy_Args, abi_version, 91:16)

/// Frees an executable ABI version. Since 0.91.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_Destroy(PJRT_ExecutableAbiVersion_Destroy_Args* args);

/// Arguments of PJRT_ExecutableAbiVersion_ToProto.
typedef struct PJRT_ExecutableAbiVersion_ToProto_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_ExecutableAbiVersion* abi_version;  ///< in, since 0.91
  const char* serialized_proto;  ///< out, since 0.91
  size_t serialized_proto_size;  ///< out, since 0.91
  PJRT_SerializedProto* serialized_proto_holder;  ///< out, since 0.91
  void (*serialized_proto_deleter)(PJRT_SerializedProto*);  ///< out, since 0.91
} PJRT_ExecutableAbiVersion_ToProto_Args;
PJRT_LAYOUT(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto_deleter, 91:48)

/// Serialized form, in a holder that the caller frees with the returned deleter. Since 0.91.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_ToProto(PJRT_ExecutableAbiVersion_ToProto_Args* args);

/// Arguments of PJRT_ExecutableAbiVersion_PlatformId.
typedef struct PJRT_ExecutableAbiVersion_PlatformId_Args {
  size_t struct_size;  ///< in, since 0.91
  const PJRT_ExecutableAbiVersion* abi_version;  ///< in, since 0.91
  uint64_t platform_id;  ///< out, since 0.91
} PJRT_ExecutableAbiVersion_PlatformId_Args;
PJRT_LAYOUT(PJRT_ExecutableAbiVersion_PlatformId_Args, platform_id, 91:24)

/// Number of the platform. Since 0.91.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_PlatformId(
    PJRT_ExecutableAbiVersion_PlatformId_Args* args);

/// Arguments of PJRT_RuntimeAbiVersion_FromProto.
typedef struct PJRT_RuntimeAbiVersion_FromProto_Args {
  size_t struct_size;  ///< in, since 0.91
  const char* serialized_proto;  ///< in, since 0.91
  size_t serialized_proto_size;  ///< in, since 0.91
  PJRT_RuntimeAbiVersion* abi_version;  ///< out, since 0.91
} PJRT_RuntimeAbiVersion_FromProto_Args;
PJRT_LAYOUT(PJRT_RuntimeAbiVersion_FromProto_Args, abi_version, 91:32)

/// Reads the serialized form. Since 0.91.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_FromProto(PJRT_RuntimeAbiVersion_FromProto_Args* args);

/// Arguments of PJRT_ExecutableAbiVersion_FromProto.
typedef struct PJRT_ExecutableAbiVersion_FromProto_Args {
  size_t struct_size;  ///< in, since 0.91
  const char* serialized_proto;  ///< in, since 0.91
  size_t serialized_proto_size;  ///< in, since 0.91
  PJRT_ExecutableAbiVersion* abi_version;  ///< out, since 0.91
} PJRT_ExecutableAbiVersion_FromProto_Args;
PJRT_LAYOUT(PJRT_ExecutableAbiVersion_FromProto_Args, abi_version, 91:32)

/// Reads the serialized form. Since 0.91.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_FromProto(
    PJRT_ExecutableAbiVersion_FromProto_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_AbiVersion_Extension {
  PJRT_Extension_Base base;  ///< since 0.91
  PJRT_Client_RuntimeAbiVersion* client_runtime_abi_version;  ///< since 0.91
  PJRT_Executable_GetAbiVersion* executable_get_abi_version;  ///< since 0.91
  PJRT_RuntimeAbiVersion_Destroy* runtime_abi_version_destroy;  ///< since 0.91
  /// since 0.91
  PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime* runtime_abi_version_is_compatible_with_runtime;
  /// since 0.91
  PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable* runtime_abi_version_is_compatible_with_executable;
  PJRT_RuntimeAbiVersion_ToProto* runtime_abi_version_to_proto;  ///< since 0.91
  PJRT_RuntimeAbiVersion_PlatformId* runtime_abi_version_platform_id;  ///< since 0.91
  PJRT_ExecutableAbiVersion_Destroy* executable_abi_version_destroy;  ///< since 0.91
  PJRT_ExecutableAbiVersion_ToProto* executable_abi_version_to_proto;  ///< since 0.91
  PJRT_ExecutableAbiVersion_PlatformId* executable_abi_version_platform_id;  ///< since 0.91
  PJRT_RuntimeAbiVersion_FromProto* runtime_abi_version_from_proto;  ///< since 0.91
  PJRT_ExecutableAbiVersion_FromProto* executable_abi_version_from_proto;  ///< since 0.91
} PJRT_AbiVersion_Extension;
PJRT_LAYOUT(PJRT_AbiVersion_Extension, executable_abi_version_from_proto, 91:120)

PJRT_EXTENSION(PJRT_AbiVersion_Extension, PJRT_Extension_Type_AbiVersion, PJRT_API_ABI_VERSION_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_ABI_VERSION_H_
