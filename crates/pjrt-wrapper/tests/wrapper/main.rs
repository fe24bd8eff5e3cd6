//! The wrapper through the C table, as a framework sees it: a file for each invariant of the architecture, and
//! one for each area beside them. One binary, since every binary would compile the whole table anew.

mod support;

mod invariant_01_no_slot_is_null;
mod invariant_02_no_panic_crosses_c;
mod invariant_03_struct_size;
mod invariant_04_objects_begin_with_a_table;
mod invariant_05_what_must_not_fail;
mod invariant_06_events;
mod invariant_07_buffer_states;
mod invariant_08_host_buffer_semantics;
mod invariant_09_lifetimes;
mod invariant_10_exports;
mod invariant_11_no_order_of_destruction;
mod invariant_12_the_table_is_static;

mod copies;
mod deferred;
mod devices_and_topologies;
mod execution;
mod extensions;
mod key_value_store;
mod log;
mod programs;
mod stress;
mod transfer_manager;
