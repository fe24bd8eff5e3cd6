//! Builds the whole PJRT_Api around an implementation of PjrtClient.
