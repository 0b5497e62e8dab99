//! The liabilities tree: everything that a token's pool owes, by the coordinator's reckoning, bound to the pool's own counters.

use crate::{
    data::data,
    errors::Failure,
    events::{Event, LiabilitiesRecorded},
    hash::Hash,
    merkle,
    state::Pool,
    withdrawal::MAX_LEAVES,
};

data! {
    /// What is recorded of the liabilities tree: everything that a token's pool owes.
    pub struct Liabilities<'a> {
        /// The pool's plus 1: a stale or doubled recording is refused by it.
        sequence: u64,
        root: &'a Hash,
        /// Base units: the sum of the leaves, which is what the pool holds of what the tree knows.
        total: u64,
        /// Windows opened when the tree was made: it knows these, and no later ones, which don't count for its total.
        openings: u64,
        /// Base units: what had moved in with them.
        moved_in: u64,
        /// First withdrawal number that the tree may not know.
        covered_to: u64,
        leaves: u32,
        /// Root of the tree of withdrawals to be paid: what the base pays, each once.
        withdrawals_root: &'a Hash,
        withdrawal_leaves: u32,
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
        // A window that a tree knew can't be unknown to the next one.
        if self.openings < pool.recorded_openings {
            return Err(Failure::StaleRoot);
        }
        // What later windows brought is still in the pool, so the differences are exact though the sums wrap.
        let later = pool.moved_in.wrapping_sub(self.moved_in);
        let since = pool.moved_in.wrapping_sub(pool.recorded_in);
        if self.openings > pool.openings || (later == 0) != (self.openings == pool.openings) || later > since {
            return Err(Failure::LiabilitiesMismatch);
        }
        let known = pool.held().checked_sub(later).ok_or(Failure::LiabilitiesMismatch)?;
        if self.total != known || (self.leaves == 0 && self.total != 0) {
            return Err(Failure::LiabilitiesMismatch);
        }
        if !self.covers_what_is_known(pool) {
            return Err(Failure::InvalidCoverage);
        }
        pool.sequence = self.sequence;
        pool.liabilities_root = *self.root;
        pool.liabilities_total = self.total;
        pool.liabilities_left = self.total;
        pool.recorded_openings = self.openings;
        pool.recorded_in = self.moved_in;
        pool.covered_to = self.covered_to;
        pool.liability_leaves = self.leaves;
        pool.withdrawals_root = *self.withdrawals_root;
        pool.withdrawal_leaves = self.withdrawal_leaves;
        pool.recorded_at = now;
        let Liabilities { sequence, root, total, covered_to, .. } = *self;
        LiabilitiesRecorded { mint: pool.mint, sequence, root: *root, total, covered_to }.emit();
        Ok(())
    }

    /// Every number below `covered_to` is one that the base has paid, or has a leaf in the withdrawals tree. So nobody's word alone
    /// moves it far ahead, where the layer would seem to have lost its numbers; and the next recording may take it back.
    fn covers_what_is_known(&self, pool: &Pool) -> bool {
        let known = pool.withdrawals.saturating_add(u64::from(self.withdrawal_leaves)).max(pool.highest_withdrawal);
        self.withdrawal_leaves <= MAX_LEAVES
            && self.covered_to > pool.highest_withdrawal
            && self.covered_to <= known.saturating_add(1)
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
