//! A withdrawal to be paid, and where it stands in the withdrawals tree that was recorded with the liabilities.

use crate::{
    data::data,
    errors::Failure,
    hash::{self, Hash},
    merkle,
    state::Pool,
};
use pinocchio::Address;

/// Hashes of a proof at most: with a longer one the validator's transaction that pays is larger than 1,232 bytes.
pub const MAX_PROOF: usize = 12;
/// Withdrawals that a tree holds at most.
pub const MAX_LEAVES: u32 = 1 << MAX_PROOF;

data! {
    /// A withdrawal's place in the withdrawals tree, and its proof.
    pub struct WithdrawalProof<'a> {
        index: u32,
        /// Secret until the payment, so that the leaf can't be guessed from a neighbour's proof.
        blind: &'a [u8; 16],
        proof: &'a [Hash],
    }
}

/// What is paid, and to whom. The base believes nobody that it is owed: it must stand in the recorded tree.
pub struct Withdrawal<'a> {
    pub number: u64,
    /// Base units.
    pub amount: u64,
    pub wallet: &'a Address,
}

impl Withdrawal<'_> {
    /// The withdrawal stands, just so, in the tree that the pool recorded last.
    #[inline(never)]
    pub fn check_recorded(&self, pool: &Pool, proven: &WithdrawalProof) -> Result<(), Failure> {
        let WithdrawalProof { index, blind, proof } = *proven;
        if index >= pool.withdrawal_leaves || proof.len() > MAX_PROOF {
            return Err(Failure::NotCovered);
        }
        let leaf = hash::withdrawal(self.number, self.amount, self.wallet.as_ref(), blind);
        match merkle::root_of_range(&mut [leaf], index, pool.withdrawal_leaves, proof) {
            Ok(root) if root == pool.withdrawals_root => Ok(()),
            _ => Err(Failure::NotCovered),
        }
    }
}
