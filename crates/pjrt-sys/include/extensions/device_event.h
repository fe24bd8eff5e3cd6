// Device events and promises.
// Objects of the raw buffer extension that carry completion across the boundary.

#ifndef PJRT_SYS_EXTENSIONS_DEVICE_EVENT_H_
#define PJRT_SYS_EXTENSIONS_DEVICE_EVENT_H_

#include "../core/base.h"
#include "../core/error.h"

/// State of a device event.
typedef enum PJRT_DeviceEvent_State {
  PJRT_DeviceEvent_State_Unavailable = 0,  ///< since 0.106
  PJRT_DeviceEvent_State_Ready = 1,  ///< since 0.106
  PJRT_DeviceEvent_State_Error = 2,  ///< since 0.106
} PJRT_DeviceEvent_State;

/// Runs when a device event completes.
typedef void (*PJRT_DeviceEvent_AndThen)(void* user_arg);

typedef struct PJRT_DeviceEvent_FunctionTable PJRT_DeviceEvent_FunctionTable;

/// Functions of a device event; the object is passed beside the table.
struct PJRT_DeviceEvent_FunctionTable {
  size_t struct_size;  ///< since 0.104
  PJRT_Extension_Base* extension_start;  ///< since 0.104
  void (*inc_ref)(void*);  ///< since 0.104
  void (*dec_ref)(void*);  ///< since 0.104
  void (*and_then)(void*, PJRT_DeviceEvent_AndThen, void*);  ///< since 0.104
  int (*get_error_if_present)(void*, PJRT_Error_Code*, const char**, size_t*);  ///< since 0.104
  const PJRT_DeviceEvent_FunctionTable* parent;  ///< since 0.106
  PJRT_DeviceEvent_State (*get_state)(void*);  ///< since 0.106
  intptr_t (*get_definition_stream)(void*, uint64_t*);  ///< since 0.108
};
PJRT_LAYOUT(PJRT_DeviceEvent_FunctionTable, get_definition_stream, 104:48, 106:64, 108:72)

/// A device event: function table and reference-counted object.
typedef struct PJRT_DeviceEvent {
  const PJRT_DeviceEvent_FunctionTable* vtable;  ///< since 0.104
  void* device_event;  ///< since 0.104
} PJRT_DeviceEvent;
PJRT_NO_LAYOUT(PJRT_DeviceEvent)

/// Growable array of device events.
typedef struct PJRT_DeviceEventVector {
  PJRT_DeviceEvent* data;  ///< since 0.113
  size_t size;  ///< since 0.113
  size_t capacity;  ///< since 0.113
  void (*destroy)(PJRT_DeviceEvent*);  ///< since 0.113
} PJRT_DeviceEventVector;
PJRT_NO_LAYOUT(PJRT_DeviceEventVector)

typedef struct PJRT_DeviceEventPromise PJRT_DeviceEventPromise;

/// Functions that complete a device event.
typedef struct PJRT_DeviceEventPromise_FunctionTable {
  size_t struct_size;  ///< since 0.111
  size_t instance_size;  ///< since 0.111
  PJRT_Extension_Base* extension_start;  ///< since 0.111
  void (*inc_ref)(PJRT_DeviceEventPromise*);  ///< since 0.111
  void (*dec_ref)(PJRT_DeviceEventPromise*);  ///< since 0.111
  PJRT_DeviceEvent (*event)(PJRT_DeviceEventPromise*);  ///< since 0.111
  void (*set)(PJRT_DeviceEventPromise*, PJRT_DeviceEvent);  ///< since 0.111
  void (*set_error)(PJRT_DeviceEventPromise*, PJRT_Error*);  ///< since 0.111
  void (*set_ready)(PJRT_DeviceEventPromise*);  ///< since 0.111
} PJRT_DeviceEventPromise_FunctionTable;
PJRT_LAYOUT(PJRT_DeviceEventPromise_FunctionTable, set_ready, 111:72)

/// A promise begins with a pointer to its function table.
struct PJRT_DeviceEventPromise {
  const PJRT_DeviceEventPromise_FunctionTable* vtable;  ///< since 0.111
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_DeviceEventPromise, vtable, 111:8)

#endif  // PJRT_SYS_EXTENSIONS_DEVICE_EVENT_H_
