//! How many devices and threads a client has and how much memory: client options first, then environment variables.

use cpu_compiler::{ISA_VARIABLE, Isa};
use pjrt_wrapper::client_trait::{ClientOptions, Result, Status};

/// The options of a client.
const OPTIONS: [&str; 3] = ["num_devices", "num_threads", "memory_limit"];

/// Devices are virtual, so their number is only a matter of what is sensible.
const MAX_DEVICES: i64 = 1024;

/// What a client is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Devices, all of which stand for the same cores.
    pub(crate) devices: i32,
    /// Threads that work on one program.
    pub(crate) threads: usize,
    /// Bytes that the arrays of one device may take.
    pub(crate) memory_limit: usize,
}

impl Settings {
    /// Reads options and environment.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for unknown options, for numbers out of range, wherever they were given, and for instruction sets
    /// that are none.
    pub(crate) fn read(options: &ClientOptions, environment: impl Fn(&str) -> Option<String>) -> Result<Settings> {
        options.reject_unknown(&OPTIONS)?;
        let number = |option: &str, default: i64, range: std::ops::RangeInclusive<i64>| {
            let variable = format!("RUST_CPU_{}", option.to_ascii_uppercase());
            let (value, source) = match (options.get(option), environment(&variable)) {
                (Some(_), _) => (options.int(option, default)?, format!("option {option}")),
                (None, Some(text)) => {
                    let value = text.trim().parse().map_err(|_| {
                        Status::invalid_argument(format!("environment variable {variable} is {text:?}, not a number"))
                    })?;
                    (value, format!("environment variable {variable}"))
                }
                (None, None) => return Ok(default),
            };
            if range.contains(&value) {
                return Ok(value);
            }
            let (least, most) = (range.start(), range.end());
            Err(Status::invalid_argument(format!("{source} is {value}; it must be from {least} to {most}")))
        };
        if let Some(limit) = environment(ISA_VARIABLE) {
            Isa::allowed(&limit)
                .map_err(|problem| Status::invalid_argument(format!("environment variable {problem}")))?;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Settings {
            devices: number("num_devices", 1, 1..=MAX_DEVICES)? as i32,
            threads: number("num_threads", cores as i64, 1..=4096)? as usize,
            memory_limit: number("memory_limit", machine_memory(), 0..=i64::MAX)? as usize,
        })
    }
}

/// Bytes of memory of this machine; without limit where it is not known.
fn machine_memory() -> i64 {
    let total = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:").map(str::to_owned))?;
        line.trim().strip_suffix("kB")?.trim().parse::<i64>().ok()?.checked_mul(1024)
    };
    std::fs::read_to_string("/proc/meminfo").ok().and_then(total).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pjrt_wrapper::client_trait::NamedValue;

    fn read(options: &[(&str, i64)], environment: &[(&str, &str)]) -> Result<Settings> {
        let options = options.iter().map(|&(name, value)| NamedValue::new(name, value)).collect();
        let variable =
            |wanted: &str| environment.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned());
        Settings::read(&ClientOptions::new(options), variable)
    }

    #[test]
    fn options_win_over_the_environment() {
        let settings = read(
            &[("num_devices", 3)],
            &[("RUST_CPU_NUM_DEVICES", "2"), ("RUST_CPU_NUM_THREADS", "5"), ("RUST_CPU_MEMORY_LIMIT", "1000")],
        );
        assert_eq!(settings, Ok(Settings { devices: 3, threads: 5, memory_limit: 1000 }));
        assert!(read(&[], &[]).unwrap().memory_limit > 1 << 20);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_source() {
        for (options, environment, says) in [
            (&[("num_device", 1)][..], &[][..], "unknown client option"),
            (&[("num_devices", 0)], &[], "option num_devices is 0; it must be from 1 to 1024"),
            (&[], &[("RUST_CPU_NUM_THREADS", "many")], "RUST_CPU_NUM_THREADS is \"many\", not a number"),
            (&[], &[("RUST_CPU_ISA", "sse9")], "environment variable RUST_CPU_ISA is \"sse9\"; it may be baseline"),
            (&[], &[("RUST_CPU_MEMORY_LIMIT", "-1")], "environment variable RUST_CPU_MEMORY_LIMIT is -1"),
        ] {
            let error = read(options, environment).unwrap_err();
            assert!(error.message.contains(says), "{error}");
        }
    }
}
