//! Options of XLA's compiler, which users set with `compiler_options=`. They say how that compiler works and not what
//! programs mean, so they have no effect here; what XLA refuses, though, is a mistake here as well and is said in its
//! words: names that it does not know, and values that are none.

mod known;

use pjrt_wrapper::client_trait::{CompileOptions, OptionOverride, Result, Status};

/// What values an option takes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Bool,
    Int32,
    Int64,
    Float,
    /// Any text.
    Text,
    /// One of these names, or any number.
    OneOf(&'static [&'static str]),
    /// Such names, separated by commas; none in the empty text.
    SomeOf(&'static [&'static str]),
    /// Nothing that an override can say.
    Message,
}

/// Options beside XLA's flags. Most releases of JAX take them out and pass them on as what they are.
const NOT_FLAGS: [&str; 4] =
    ["exec_time_optimization_effort", "memory_fitting_effort", "memory_fitting_level", "optimization_level"];

/// Checks the options that users gave by name.
///
/// # Errors
/// INVALID_ARGUMENT for an unknown name and for a value that is not one of its option.
pub(crate) fn check(options: &CompileOptions) -> Result<()> {
    options.overrides.iter().try_for_each(|(name, value)| check_option(name, value))
}

fn check_option(name: &str, value: &OptionOverride) -> Result<()> {
    if NOT_FLAGS.contains(&name) {
        return Ok(());
    }
    let Ok(index) = known::KNOWN.binary_search_by_key(&name, |&(known, _)| known) else {
        return Err(Status::invalid_argument(format!("No such compile option: '{name}'")));
    };
    let kind = known::KNOWN[index].1;
    kind.check(value).map_err(|culprit| {
        let kind = kind.name();
        Status::invalid_argument(format!("While setting option {name}, '{culprit}' is not a valid {kind} value."))
    })
}

impl Kind {
    /// As XLA's messages say it.
    fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Float => "float",
            Kind::Text => "string",
            Kind::OneOf(_) | Kind::SomeOf(_) => "enum",
            Kind::Message => "message",
        }
    }

    /// Whether a value is one of this kind; otherwise the text that is to blame. Texts are read as the command line is;
    /// beside that only a number for a name stands for something of another type.
    fn check(self, value: &OptionOverride) -> std::result::Result<(), String> {
        let is_valid = match (self, value) {
            (Kind::SomeOf(names), OptionOverride::String(list)) => {
                let wrong = list.split(',').find(|entry| !is_one_of(names, entry));
                return wrong.filter(|_| !list.is_empty()).map_or(Ok(()), |wrong| Err(wrong.to_owned()));
            }
            (Kind::Message, _) => false,
            (Kind::Text, value) => matches!(value, OptionOverride::String(_)),
            (Kind::Bool, OptionOverride::Bool(_)) => true,
            (Kind::Bool, OptionOverride::String(text)) => matches!(text.as_str(), "True" | "False"),
            (Kind::Int32, OptionOverride::Int(number)) => i32::try_from(*number).is_ok(),
            (Kind::Int32, OptionOverride::String(text)) => text.trim().parse::<i32>().is_ok(),
            (Kind::Int64, OptionOverride::Int(_)) => true,
            (Kind::Int64, OptionOverride::String(text)) => text.trim().parse::<i64>().is_ok(),
            (Kind::Float, OptionOverride::Double(number)) => !number.is_finite() || (*number as f32).is_finite(),
            (Kind::Float, OptionOverride::String(text)) => text.trim().parse::<f32>().is_ok(),
            (Kind::OneOf(names), OptionOverride::String(text)) => is_one_of(names, text),
            (Kind::OneOf(_) | Kind::SomeOf(_), OptionOverride::Int(number)) => i32::try_from(*number).is_ok(),
            _ => false,
        };
        if is_valid { Ok(()) } else { Err(text_of(value)) }
    }
}

fn is_one_of(names: &[&str], text: &str) -> bool {
    names.contains(&text) || text.trim().parse::<i32>().is_ok()
}

fn text_of(value: &OptionOverride) -> String {
    match value {
        OptionOverride::String(text) => text.clone(),
        OptionOverride::Bool(flag) => i32::from(*flag).to_string(),
        OptionOverride::Int(number) => number.to_string(),
        OptionOverride::Double(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, value: OptionOverride) -> Option<String> {
        let mut options = CompileOptions::default();
        options.overrides.insert(name.to_owned(), value);
        check(&options).err().map(|error| error.message)
    }

    fn text(text: &str) -> OptionOverride {
        OptionOverride::String(text.to_owned())
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(known::KNOWN.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["invalid_key", "xla_", "xla_no_such_thing", "num_replicas", "exec_time_compilation_effort"] {
            let expected = format!("No such compile option: '{name}'");
            assert_eq!(message(name, OptionOverride::Int(1)), Some(expected));
        }
    }

    #[test]
    fn values_are_let_pass_that_xla_takes() {
        for (name, value) in [
            ("exec_time_optimization_effort", OptionOverride::Double(0.0)),
            ("optimization_level", OptionOverride::Int(1)),
            ("xla_embed_ir_in_executable", OptionOverride::Bool(true)),
            ("xla_embed_ir_in_executable", text("False")),
            ("xla_dump_max_hlo_modules", OptionOverride::Int(200)),
            ("xla_dump_max_hlo_modules", text(" +5 ")),
            ("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", OptionOverride::Double(0.5)),
            ("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", OptionOverride::Double(f64::INFINITY)),
            ("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", text("1e3")),
            ("xla_dump_to", text("anywhere")),
            ("xla_disable_hlo_passes", text("a,b")),
            ("xla_step_marker_location", text("STEP_MARK_AT_ENTRY")),
            ("xla_step_marker_location", OptionOverride::Int(99)),
            ("xla_step_marker_location", text("1")),
            ("xla_gpu_enable_command_buffer", text("FUSION,CUBLAS")),
            ("xla_gpu_enable_command_buffer", text("")),
        ] {
            assert_eq!(message(name, value.clone()), None, "{name} {value:?}");
        }
    }

    #[test]
    fn values_of_another_kind_are_refused_in_the_words_of_xla() {
        for (name, value, culprit, kind) in [
            ("xla_embed_ir_in_executable", text("invalid_value"), "invalid_value", "bool"),
            ("xla_embed_ir_in_executable", text("true"), "true", "bool"),
            ("xla_embed_ir_in_executable", OptionOverride::Int(0), "0", "bool"),
            ("xla_dump_max_hlo_modules", OptionOverride::Bool(true), "1", "int32"),
            ("xla_dump_max_hlo_modules", OptionOverride::Int(1 << 40), "1099511627776", "int32"),
            ("xla_dump_max_hlo_modules", OptionOverride::Double(2.5), "2.5", "int32"),
            ("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", OptionOverride::Int(1), "1", "float"),
            ("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", text("1f"), "1f", "float"),
            ("xla_dump_to", OptionOverride::Double(1.0), "1", "string"),
            ("xla_step_marker_location", text("THREAD"), "THREAD", "enum"),
            ("xla_gpu_enable_command_buffer", text("FUSION,x"), "x", "enum"),
            ("xla_gpu_enable_command_buffer", text("FUSION,"), "", "enum"),
            ("xla_backend_extra_options", text("a=b"), "a=b", "message"),
        ] {
            let expected = format!("While setting option {name}, '{culprit}' is not a valid {kind} value.");
            assert_eq!(message(name, value), Some(expected));
        }
    }
}
