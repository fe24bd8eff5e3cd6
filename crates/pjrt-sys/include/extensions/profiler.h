// Extension: profiler.
// As a node of the table it publishes a profiler; as a node of an Args chain it carries an id
// that ties trace spans together (profiler_api is then null).

#ifndef PJRT_SYS_EXTENSIONS_PROFILER_H_
#define PJRT_SYS_EXTENSIONS_PROFILER_H_

#include "../core/base.h"

#define PJRT_API_PROFILER_EXTENSION_VERSION 1

typedef struct PLUGIN_Profiler_Api PLUGIN_Profiler_Api;

/// Node that publishes the extension.
typedef struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PLUGIN_Profiler_Api* profiler_api;  ///< since 0.68
  int64_t traceme_context_id;  ///< since 0.68
} PJRT_Profiler_Extension;
PJRT_LAYOUT(PJRT_Profiler_Extension, traceme_context_id, 68:40)

PJRT_EXTENSION(PJRT_Profiler_Extension, PJRT_Extension_Type_Profiler, PJRT_API_PROFILER_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_PROFILER_H_
