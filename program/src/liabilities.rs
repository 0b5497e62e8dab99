//! The liabilities tree: everything that a token's pool owes, by the coordinator's reckoning, bound to the pool's own counters.

use crate::{
    data::data,
    errors::Failure,
    events::{Event, LiabilitiesRecorded},
    hash::Hash,
    merkle,
    state::Pool,
};

data! {
    /// What is recorded of the liabilities tree: everything that a token's pool owes.
    pub struct Liabilities<'a> {
        /// The pool's plus 1: a stale or doubled recording is refused by it.
        sequence: u64,
        root: &'a Hash,
        /// Base units: the sum of the leaves, which is what the pool holds of what the tree knows.
        total: u64,
        /// Base units: the pool's when the last window was opened that the tree knows. Later ones don't count for its total.
        moved_in: u64,
        /// First withdrawal number that the tree may not know.
        covered_to: u64,
        leaves: u32,
    }
}

impl Liabilities<'_> {
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
        let Liabilities { sequence, root, total, covered_to, .. } = *self;
        LiabilitiesRecorded { mint: pool.mint, sequence, root: *root, total, covered_to }.emit();
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
