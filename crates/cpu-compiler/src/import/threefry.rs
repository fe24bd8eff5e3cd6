//! Threefry as JAX writes it for CPUs: a loop of five turns over whole arrays. Recognised, it is one operation on each
//! element, which is computed with what comes before and after it.

use super::Importer;
use super::symbols::{Followed, TermId, Terms, follow};
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::graph::{Literal, MapOp, Op, Value};
use cpu_vir::BinaryOp;
use stablehlo::ElementType;
use stablehlo::ir::OpRef;
use std::sync::Arc;

/// What the key words are combined with to make the third.
const PARITY: u32 = 0x1BD1_1BDA;

/// Where the state of the loop has the counter and the key.
struct Places {
    counter: [usize; 2],
    /// The first word, the second, and the third, which follows from them.
    keys: [usize; 3],
}

impl<'m> Importer<'m> {
    /// The results of a `while` that is Threefry; `None` if it is not.
    pub(super) fn threefry(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Option<Value>>>> {
        let Some(mut followed) = follow(op) else { return Ok(None) };
        let Some(places) = places(op, &mut followed) else { return Ok(None) };
        let Some(pair) = self.generator(op, &places)? else { return Ok(None) };
        let mut results = Vec::new();
        for (index, &term) in followed.state.iter().enumerate() {
            let ty = self.result_type(op, index)?;
            results.push(if let Some(word) = places.counter.iter().position(|&place| place == index) {
                Some(pair[word])
            } else if let Some(first) = followed.terms.as_first(term) {
                Some(self.value(op.operands()[first])?)
            } else if let Some(number) = followed.terms.as_number(term) {
                let bytes = &number.to_le_bytes()[..ty.width()];
                Some(self.graph.constant(self.block, bytes, true, ty))
            } else if self.users().contains_key(&op.results()[index]) {
                return Ok(None);
            } else {
                None
            });
        }
        Ok(Some(results))
    }

    /// Both words of each draw, from the loop's first state: there the key has been added to the counter already.
    fn generator(&mut self, op: OpRef<'m>, places: &Places) -> Result<Option<[Value; 2]>> {
        let value = |place: usize| self.value(op.operands()[place]);
        let counter = [value(places.counter[0])?, value(places.counter[1])?];
        let keys = [value(places.keys[0])?, value(places.keys[1])?, value(places.keys[2])?];
        let ty = self.graph.ty(counter[0]).clone();
        let key_ty = self.graph.ty(keys[0]).clone();
        let scalar = key_ty.dims.is_empty();
        if *self.graph.ty(counter[1]) != ty
            || keys.iter().any(|&key| *self.graph.ty(key) != key_ty)
            || !(scalar || key_ty == ty)
            || !self.is_third(keys)
        {
            return Ok(None);
        }
        let words = [0, 1].map(|word| {
            let key = if scalar { self.spread(keys[word], &ty.dims) } else { keys[word] };
            self.difference(counter[word], key)
        });
        let counter = self.pack(words);
        let mut key = self.pack([keys[0], keys[1]]);
        if scalar {
            key = self.spread(key, &ty.dims);
        }
        let wide = self.graph.ty(counter).clone();
        let draws = self.graph.map(self.block, MapOp::Binary(BinaryOp::Threefry), vec![key, counter], wide);
        Ok(Some(self.unpack(draws)))
    }

    /// Whether the third key is the first two and a constant combined.
    fn is_third(&self, [first, second, third]: [Value; 3]) -> bool {
        let parity = PARITY.to_le_bytes();
        let mut parts = vec![third];
        let mut found = Vec::new();
        while let Some(part) = parts.pop() {
            match self.graph.op(part) {
                Op::Map(MapOp::Binary(BinaryOp::Xor)) if part != first && part != second && found.len() < 4 => {
                    parts.extend(self.graph.inputs(part));
                }
                Op::Constant(Literal { bytes, splat: true }) if **bytes == parity => found.push(None),
                _ => found.push(Some(part)),
            }
        }
        found.sort();
        let mut wanted = [None, Some(first), Some(second)];
        wanted.sort();
        found == wanted
    }

    /// `a − b`, which is what `b` was added to, if it was.
    fn difference(&mut self, a: Value, b: Value) -> Value {
        if let Some(&[x, y]) = self.graph.mapped(a, MapOp::Binary(BinaryOp::Add)) {
            if x == b {
                return y;
            }
            if y == b {
                return x;
            }
        }
        let ty = self.graph.ty(a).clone();
        self.graph.map(self.block, MapOp::Binary(BinaryOp::Sub), vec![a, b], ty)
    }

    /// Two words as one, the first in the upper half.
    fn pack(&mut self, [high, low]: [Value; 2]) -> Value {
        let dims = self.graph.ty(low).dims.clone();
        let wide = Arc::new(ArrayType { element: Some(ElementType::U64), dims });
        if let Some(whole) = self.whole_of(high, low) {
            return whole;
        }
        let graph = &mut self.graph;
        let [high, low] = [high, low].map(|word| graph.map(self.block, MapOp::Convert, vec![word], wide.clone()));
        let shift = graph.constant(self.block, &32u64.to_le_bytes(), true, wide.clone());
        let high = graph.map(self.block, MapOp::Binary(BinaryOp::Shl), vec![high, shift], wide.clone());
        graph.map(self.block, MapOp::Binary(BinaryOp::Or), vec![high, low], wide)
    }

    /// What two words are the halves of.
    fn whole_of(&self, high: Value, low: Value) -> Option<Value> {
        let graph = &self.graph;
        let &[whole] = graph.mapped(low, MapOp::Convert)? else { return None };
        let &[shifted] = graph.mapped(high, MapOp::Convert)? else { return None };
        let &[same, by] = graph.mapped(shifted, MapOp::Binary(BinaryOp::ShrLogical))? else { return None };
        let by = graph.literal(by).filter(|literal| literal.splat && *literal.bytes == 32u64.to_le_bytes());
        (same == whole && by.is_some() && graph.ty(whole).element == Some(ElementType::U64)).then_some(whole)
    }

    /// The halves of what [`Importer::pack`] makes.
    fn unpack(&mut self, whole: Value) -> [Value; 2] {
        let wide = self.graph.ty(whole).clone();
        let narrow = Arc::new(ArrayType { element: Some(ElementType::U32), dims: wide.dims.clone() });
        let graph = &mut self.graph;
        let shift = graph.constant(self.block, &32u64.to_le_bytes(), true, wide.clone());
        let high = graph.map(self.block, MapOp::Binary(BinaryOp::ShrLogical), vec![whole, shift], wide);
        [high, whole].map(|half| graph.map(self.block, MapOp::Convert, vec![half], narrow.clone()))
    }
}

/// Finds counter and key in a state that the rounds of Threefry were made of.
fn places(op: OpRef<'_>, followed: &mut Followed) -> Option<Places> {
    let Followed { terms, state } = followed;
    let words: Vec<usize> = (0..state.len())
        .filter(|&index| {
            let element = op.operand_tensor(index).and_then(|ty| ty.element_type());
            element == Some(ElementType::U32) && terms.is_begun(index)
        })
        .collect();
    let &[x, y, second, third, first] = &words[..] else { return None };
    let keys = [first, second, third];
    let want = rounds(terms, [x, y], keys);
    ([state[x], state[y]] == want).then_some(Places { counter: [x, y], keys })
}

/// The twenty rounds on a counter that the key was added to.
fn rounds(terms: &mut Terms, counter: [usize; 2], keys: [usize; 3]) -> [TermId; 2] {
    const ROTATIONS: [[u64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let [mut x, mut y] = counter.map(|place| terms.first(place));
    let keys = keys.map(|place| terms.first(place));
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x = terms.of(BinaryOp::Add, x, y);
            let (by, back) = (terms.number(rotation), terms.number(32 - rotation));
            let (up, down) = (terms.of(BinaryOp::Shl, y, by), terms.of(BinaryOp::ShrLogical, y, back));
            let rotated = terms.of(BinaryOp::Or, up, down);
            y = terms.of(BinaryOp::Xor, x, rotated);
        }
        x = terms.of(BinaryOp::Add, x, keys[(group + 1) % 3]);
        y = terms.of(BinaryOp::Add, y, keys[(group + 2) % 3]);
        let number = terms.number(group as u64 + 1);
        y = terms.of(BinaryOp::Add, y, number);
    }
    [x, y]
}
