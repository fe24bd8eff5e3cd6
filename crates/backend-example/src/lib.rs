//! The smallest complete backend: a simulated accelerator with two devices.
