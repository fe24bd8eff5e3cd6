//! Where programs come from.

use std::io::Read;
use std::path::{Path, PathBuf};

use stablehlo::ir::Module;

use super::Error;

/// The line between programs that share a text file.
const SEPARATOR: &str = "// -----";

/// A program with its name, or why it cannot be read.
pub type Program = (String, Result<Module, Error>);

/// Programs on the command line.
#[derive(clap::Args)]
pub struct Programs {
    /// Files, text or bytecode; `-` or none is standard input. Text may hold several programs with lines
    /// `// -----` between them.
    files: Vec<PathBuf>,
}

impl Programs {
    /// All programs.
    pub fn read(&self) -> Result<Vec<Program>, Error> {
        let stdin = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &stdin[..] } else { &self.files };
        let mut programs = Vec::new();
        for file in files {
            programs.extend(read_file(file)?);
        }
        Ok(programs)
    }
}

/// The bytes of a file, or of standard input if it is `-`.
pub fn bytes(file: &Path) -> Result<Vec<u8>, Error> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// The programs of a file with their names.
pub fn read_file(file: &Path) -> Result<Vec<Program>, Error> {
    let bytes = bytes(file)?;
    let name = if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
    let parts = match std::str::from_utf8(&bytes) {
        Ok(text) if text.lines().any(|line| line.trim_end() == SEPARATOR) => split(text),
        _ => return Ok(vec![(name.clone(), read(&bytes, &name))]),
    };
    Ok(parts.iter().map(|part| (name.clone(), read(part.as_bytes(), &name))).collect())
}

fn read(bytes: &[u8], name: &str) -> Result<Module, Error> {
    stablehlo::read_program_named(bytes, name).map_err(|error| {
        let text = error.to_string();
        // Errors of texts name the file already.
        if text.starts_with(name) { text.into() } else { format!("{name}: {text}").into() }
    })
}

/// The programs of a text; each keeps its line numbers.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (number, line) in text.lines().enumerate() {
        if line.trim_end() == SEPARATOR {
            parts.push("\n".repeat(number + 1));
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts.retain(|part| part.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")));
    parts
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn parts_keep_their_lines() {
        assert_eq!(split("a\n// -----\nb\n"), ["a\n", "\n\nb\n"]);
        assert_eq!(split("// only a comment\n// -----\nb"), ["\n\nb\n"]);
    }
}
