//! Registration of handlers with several stages, as text: target and platform, then the traits and the addresses of the
//! functions for instantiate, prepare, initialize, execute and record (0: none), one a line, in decimal.

use pjrt_wrapper::client_trait::{Result, Status};
use xla_ffi::Registry;

/// Registers the handler that `input` describes.
///
/// # Errors
/// INVALID_ARGUMENT when it describes none, and what the registry says.
pub(crate) fn register(input: &[u8]) -> Result<()> {
    let text = std::str::from_utf8(input).map_err(|_| malformed("not UTF-8"))?;
    let lines: Vec<&str> = text.lines().collect();
    let [target, platform, traits, addresses @ ..] = &lines[..] else { return Err(malformed("lines are missing")) };
    let numbers = addresses.iter().map(|line| line.parse().ok()).collect::<Option<Vec<usize>>>();
    let stages = numbers.and_then(|numbers| <[usize; 5]>::try_from(numbers).ok());
    let stages = stages.ok_or_else(|| malformed("five addresses are expected"))?;
    let traits = traits.parse().map_err(|_| malformed("the traits are no number"))?;
    Registry::process().register_addresses(target, platform, stages, traits)
}

fn malformed(why: &str) -> Status {
    Status::invalid_argument(format!(
        "register_handler: {why}; target, platform, traits and five addresses, one a line"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_registration_is_refused() {
        for text in ["", "a\ncpu\n0", "a\ncpu\n0\n0\n0\n0\n0", "a\ncpu\nx\n0\n0\n0\n0\n0", "a\ncpu\n0\n0\n0\n0\n-1\n0"]
        {
            assert!(register(text.as_bytes()).unwrap_err().message.contains("one a line"), "{text:?}");
        }
        let error = register(b"a\ncpu\n0\n0\n0\n0\n0\n0").unwrap_err();
        assert!(error.message.contains("needs an execute function"), "{error}");
    }
}
