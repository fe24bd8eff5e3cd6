//! The verifier: whether a program obeys the specification, and which result types follow from inputs.
//!
//! Owns the constraints of every op (`ops/`), the typing of inputs (`signature_table.rs`) and the structure of
//! programs (`structure.rs`). Must not know how programs are read or run. Time is linear in the program; the
//! stack does not grow with it.
//!
//! ```
//! use stablehlo::ElementType;
//! use stablehlo::ir::{Module, OpCode, OpSpec};
//!
//! let mut m = Module::new();
//! let (f32x2, f32x3) = (m.tensor_type(&[2], ElementType::F32), m.tensor_type(&[3], ElementType::F32));
//! let (_, body) = m.add_function("main", &[f32x2], &[f32x3]);
//! let x = m.block(body).args()[0];
//! let sum = m.append(body, OpSpec::new(OpCode::Add).operands(&[x, x]).results(&[f32x3]));
//! let sum = m.op(sum).results()[0];
//! m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[sum]));
//! let errors = stablehlo::verify::verify(&m).unwrap_err();
//! assert_eq!(errors.violations[0].constraint, "C1");
//! ```

mod check;
mod class;
mod error;
mod ops;
mod quantized;
mod region;
mod shape;
mod signature;
mod signature_table;
mod structure;

pub use class::Class;
pub use error::{VerifyErrors, Violation};
pub use signature::{AttrKind, Input, NamedInput, Results, Signature, signature, specified_ops};

use check::{Check, Inferred, Sink};

use crate::ir::attrs::TypeExtensions;
use crate::ir::{Attr, BlockId, Module, OpCode, OpId, OpSpec, TensorType, Type, TypeId};

/// Violations that [`verify`] keeps.
pub const MOST_VIOLATIONS: usize = 100;

/// Checks a whole program.
///
/// # Errors
/// All violations, of which the first [`MOST_VIOLATIONS`] are kept.
pub fn verify(module: &Module) -> Result<(), VerifyErrors> {
    verify_with_limit(module, MOST_VIOLATIONS)
}

/// Like [`verify`], keeping at most `limit` violations.
///
/// # Errors
/// All violations, of which the first `limit` are kept.
pub fn verify_with_limit(module: &Module, limit: usize) -> Result<(), VerifyErrors> {
    let mut sink = Sink { limit, seen_types: vec![false; module.num_types()], ..Sink::default() };
    structure::check_module(module, &mut sink);
    into_result(sink)
}

fn into_result(sink: Sink) -> Result<(), VerifyErrors> {
    if sink.total == 0 { Ok(()) } else { Err(VerifyErrors { violations: sink.violations, total: sink.total }) }
}

/// Checks one op by itself, without its regions' ops.
fn check_op(m: &Module, id: OpId, sink: &mut Sink) {
    let before = sink.total;
    let mut cx = Check { m, op: m.op(id), sink };
    if let Some(signature) = signature(cx.op.code())
        && !cx.check_signature(signature)
    {
        return;
    }
    let done = ops::check(&mut cx);
    // A check that gives up must have said why: silence would pass for consent.
    if done.is_none() && cx.failures() == before {
        cx.fail("structure", format_args!("the op is malformed and its constraints cannot be checked"));
    }
}

/// The types that the results of an op must have, from its operands, attributes and regions. The op may be
/// detached and need not have results; those it has are ignored.
///
/// Where an operand is dynamic, so may be a result; a program may state a more precise type.
///
/// # Errors
/// The violations of the inputs; and one of the constraint `inference` if the result types are free (as those
/// of `convert`, `reshape` or `custom_call` are) and must be stated.
pub fn infer_result_types(module: &mut Module, op: OpId) -> Result<Vec<TypeId>, VerifyErrors> {
    let mut sink = Sink { limit: MOST_VIOLATIONS, inferred: Some(Vec::new()), ..Sink::default() };
    if matches!(module.op(op).code(), OpCode::FuncCall | OpCode::Composite | OpCode::CustomCall) {
        sink.scope = Some(module.root());
        structure::collect_symbols(module, module.root(), &mut sink);
    }
    if module.op(op).results().is_empty() {
        check_op(module, op, &mut sink);
    } else {
        let bare = without_results(module, op);
        check_op(module, bare, &mut sink);
    }
    let inferred = sink.inferred.take().unwrap_or_default();
    let expected = signature(module.op(op).code()).map_or(0, |s| s.results.fixed.len());
    let complete = inferred.len() >= expected && inferred.iter().all(Option::is_some);
    if sink.total == 0 && (!complete || module.op(op).code() == OpCode::InterpreterRunParallel) {
        sink.fail(module.op(op), "inference", format_args!("the result types do not follow from the inputs"));
    }
    into_result(sink)?;
    let types = inferred.into_iter().flatten().map(|result| match result {
        Inferred::Type(ty) => ty,
        Inferred::Tensor { dims, element, bounds } => {
            let encoding = bounds.map(|bounds| module.intern_attr(Attr::TypeExtensions(TypeExtensions { bounds })));
            module.intern_type(Type::Tensor(TensorType { dims: dims.into(), element, encoding }))
        }
        Inferred::Tuple(parts) => module.intern_type(Type::Tuple(parts.into())),
        Inferred::Future(parts) => module.intern_type(Type::Future(parts.into())),
        Inferred::Token => module.intern_type(Type::Token),
    });
    Ok(types.collect())
}

/// A detached copy of an op that has no results.
fn without_results(module: &mut Module, op: OpId) -> OpId {
    let view = module.op(op);
    let (code, loc) = (view.code(), view.loc());
    let operands = view.operands().to_vec();
    let attrs = [view.inherent_attrs(), view.discardable_attrs()].concat();
    let regions = view.regions().to_vec();
    let copy = module.new_op(OpSpec::new(code).loc(loc).operands(&operands).attrs(&attrs).regions(&regions));
    // The regions stay those of the op that was copied.
    module.set_region_parents(op);
    copy
}

/// Makes an op at the end of a block with the result types that follow from its inputs.
///
/// # Errors
/// As [`infer_result_types`]; the op is then made but stands nowhere.
pub fn append_inferred(module: &mut Module, block: BlockId, spec: OpSpec<'_>) -> Result<OpId, VerifyErrors> {
    let op = module.new_op(spec.results(&[]));
    let types = infer_result_types(module, op)?;
    module.set_result_types(op, &types);
    module.append_op(block, op);
    Ok(op)
}
