//! `convert`: between text and portable artifacts.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use stablehlo::text::{Form, PrintOptions, print};
use stablehlo::{CURRENT_VERSION, Version};

use super::{Error, input};

/// What to convert to.
#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// A portable artifact.
    Bytecode,
    /// Text in the pretty form.
    Text,
    /// Text in the generic form.
    Generic,
}

/// Arguments of `convert`.
#[derive(clap::Args)]
pub struct Convert {
    /// The program, text or bytecode; `-` is standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The form to write.
    #[arg(long)]
    to: Target,
    /// Version of StableHLO for bytecode, such as 1.10.0.
    #[arg(long, default_value_t = CURRENT_VERSION)]
    version: Version,
    /// Whether text has source locations.
    #[arg(long)]
    locations: bool,
    /// Where to write; standard output if not given.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Convert {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        let mut programs = input::read_file(&self.file)?;
        let (Some((name, module)), true) = (programs.pop(), programs.is_empty()) else {
            return Err(format!("{}: expected one program", self.file.display()).into());
        };
        let module = module?;
        let locations = self.locations;
        let bytes = match self.to {
            Target::Text => print(&module, &PrintOptions { form: Form::Pretty, locations }).into_bytes(),
            Target::Generic => print(&module, &PrintOptions { form: Form::Generic, locations }).into_bytes(),
            Target::Bytecode => {
                stablehlo::bytecode::write(&module, self.version).map_err(|error| format!("{name}: {error}"))?
            }
        };
        match self.output {
            Some(path) => std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?,
            None => std::io::stdout().write_all(&bytes)?,
        }
        Ok(())
    }
}
