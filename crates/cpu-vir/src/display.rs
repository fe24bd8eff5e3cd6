//! The text form of programs, for dumps and for eyes; nothing reads it back.

use std::fmt::{self, Display, Formatter};

use crate::program::{Access, Inst, Part, Program, Role, Value};

impl Display for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "%{}", self.0)
    }
}

struct Element<'a>(&'a Program, &'a Access, Part);

impl Display for Element<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Element(program, access, part) = self;
        let id = access.operand;
        let role = program.operands.get(id.index()).map(|operand| operand.role);
        let number = role.and_then(|role| program.with_role(role).position(|other| other == id));
        let name = if role == Some(Role::Output) { "out" } else { "in" };
        write!(out, "{name}{}[{}", number.unwrap_or(id.index()), access.offset)?;
        for (dim, stride) in access.strides.iter().enumerate() {
            match stride {
                0 => {}
                1 => write!(out, " + i{dim}")?,
                stride => write!(out, " + {stride}*i{dim}")?,
            }
        }
        out.write_str("]")?;
        match part {
            Part::Whole => Ok(()),
            Part::Re => out.write_str(".re"),
            Part::Im => out.write_str(".im"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let list = |dims: &[usize]| dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let outer = self.dims.len().saturating_sub(self.reduced);
        write!(out, "loop [{}]", list(&self.dims[..outer]))?;
        if self.reduced > 0 {
            write!(out, " reduce [{}]", list(&self.dims[outer..]))?;
        }
        out.write_str(" {\n")?;
        for role in [Role::Input, Role::Output] {
            for (number, id) in self.with_role(role).enumerate() {
                let name = if role == Role::Output { "out" } else { "in" };
                writeln!(out, "  {name}{number}: {}", self.operands[id.index()].storage)?;
            }
        }
        for (at, (inst, ty)) in self.body.iter().zip(&self.types).enumerate() {
            write!(out, "  %{at}: {ty} = ")?;
            self.instruction(inst, out)?;
            out.write_str("\n")?;
        }
        for store in &self.stores {
            writeln!(out, "  {} = {}", Element(self, &store.access, store.part), store.value)?;
        }
        for reduction in &self.reductions {
            let element = Element(self, &reduction.access, reduction.part);
            writeln!(out, "  {element} = {} {} from {}", reduction.kind, reduction.value, reduction.init)?;
        }
        out.write_str("}\n")
    }
}

impl Program {
    fn instruction(&self, inst: &Inst, out: &mut Formatter<'_>) -> fmt::Result {
        match inst {
            Inst::Const(scalar) => write!(out, "{scalar}"),
            Inst::Index { dim } => write!(out, "index {dim}"),
            Inst::Load { access, part, guard } => {
                write!(out, "load {}", Element(self, access, *part))?;
                let Some(guard) = guard else { return Ok(()) };
                for (dim, (low, high)) in guard.bounds.iter().enumerate() {
                    if self.dims.get(dim) != Some(&(high - low)) {
                        write!(out, " if {low} <= i{dim} < {high}")?;
                    }
                }
                write!(out, " else {}", guard.fill)
            }
            Inst::Gather { access, part, indices } => {
                write!(out, "gather {}", Element(self, access, *part))?;
                for index in indices {
                    write!(out, " + {}*{} (of {})", index.stride, index.index, index.size)?;
                }
                Ok(())
            }
            Inst::Unary { op, a } => write!(out, "{op} {a}"),
            Inst::Binary { op, a, b } => write!(out, "{op} {a}, {b}"),
            Inst::Compare { direction, a, b } => write!(out, "{direction} {a}, {b}"),
            Inst::Select { mask, a, b } => write!(out, "select {mask}, {a}, {b}"),
            Inst::Fma { a, b, c } => write!(out, "fma {a}, {b}, {c}"),
            Inst::Convert { a } => write!(out, "convert {a}"),
            Inst::NarrowToOdd { a } => write!(out, "narrow_to_odd {a}"),
            Inst::Bitcast { a } => write!(out, "bitcast {a}"),
            Inst::Round { to, a } => write!(out, "round {a} to {to}"),
            Inst::Wrap { bits, a } => write!(out, "wrap {a} to {bits} bits"),
            Inst::ReducePrecision { exponent, mantissa, a } => {
                write!(out, "reduce_precision {a} to e{exponent}m{mantissa}")
            }
        }
    }
}
