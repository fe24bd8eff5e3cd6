//! `print`: programs as text.

use stablehlo::text::{Form, PrintOptions, print};

use super::input::Programs;
use super::{Error, show};

/// Arguments of `print`.
#[derive(clap::Args)]
pub struct Print {
    #[command(flatten)]
    programs: Programs,
    /// The generic form, which is the same for all ops.
    #[arg(long)]
    generic: bool,
    /// Also source locations.
    #[arg(long)]
    locations: bool,
}

impl Print {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Error> {
        let form = if self.generic { Form::Generic } else { Form::Pretty };
        for (i, (_, module)) in self.programs.read()?.into_iter().enumerate() {
            if i > 0 {
                show("// -----\n")?;
            }
            show(&print(&module?, &PrintOptions { form, locations: self.locations }))?;
        }
        Ok(())
    }
}
