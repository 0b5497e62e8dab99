//! The liabilities tree: everything that a token's pool owes, by the coordinator's reckoning, bound to the pool's own counters.

use crate::{
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    hash::Hash,
    merkle,
    state::Pool,
};

/// A root to be recorded.
pub struct Liabilities<'a> {
    /// The pool's sequence plus one: a stale or doubled recording is refused by it.
    pub sequence: u64,
    pub root: &'a Hash,
    /// Sum of the leaves' claims on the pool, base units.
    pub total: u64,
    /// What had moved into the pool when the last window was opened that the tree knows: later ones don't count for its total.
    pub moved_in: u64,
    /// First withdrawal number that the tree may not know.
    pub covered_to: u64,
    pub leaves: u32,
}

impl<'a> Liabilities<'a> {
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Failure> {
        Ok(Liabilities {
            sequence: reader.u64()?,
            root: reader.array()?,
            total: reader.u64()?,
            moved_in: reader.u64()?,
            covered_to: reader.u64()?,
            leaves: reader.u32()?,
        })
    }

    /// Records the root. The total must be, to the base unit, what the pool holds but for what windows brought that the tree does not
    /// know; windows open at any time, so that a recording needn't wait for them, nor they for it.
    #[inline(never)]
    pub fn record(&self, pool: &mut Pool, now: i64) -> Result<(), Failure> {
        if Some(self.sequence) != pool.sequence.checked_add(1) {
            return Err(Failure::StaleRoot);
        }
        if self.covered_to < pool.covered_to || self.covered_to <= pool.highest_withdrawal {
            return Err(Failure::StaleRoot);
        }
        // A window that a tree knew can't be unknown to the next one.
        if self.moved_in < pool.recorded_in {
            return Err(Failure::StaleRoot);
        }
        let later = pool.moved_in.checked_sub(self.moved_in).ok_or(Failure::LiabilitiesMismatch)?;
        let known = pool.held()?.checked_sub(later).ok_or(Failure::LiabilitiesMismatch)?;
        if self.total != known || (self.leaves == 0 && self.total != 0) {
            return Err(Failure::LiabilitiesMismatch);
        }
        pool.sequence = self.sequence;
        pool.liabilities_root = *self.root;
        pool.liabilities_total = self.total;
        pool.recorded_in = self.moved_in;
        pool.covered_to = self.covered_to;
        pool.liability_leaves = self.leaves;
        pool.recorded_at = now;
        Event::new(Kind::LiabilitiesRecorded)
            .address(&pool.mint)
            .u64(self.sequence)
            .hash(self.root)
            .u64(self.total)
            .u64(self.covered_to)
            .emit();
        Ok(())
    }
}

/// A leaf's place in the recorded tree, and its proof.
pub struct Proof<'a> {
    pub index: u32,
    pub hashes: &'a [Hash],
}

impl Proof<'_> {
    /// The leaf stands at its place in the tree that the pool recorded last.
    #[inline(never)]
    pub fn check(&self, pool: &Pool, leaf: Hash) -> Result<(), Failure> {
        if self.index >= pool.liability_leaves {
            return Err(Failure::InvalidRange);
        }
        if merkle::root_of_range(&mut [leaf], self.index, pool.liability_leaves, self.hashes)? != pool.liabilities_root
        {
            return Err(Failure::InvalidProof);
        }
        Ok(())
    }
}
