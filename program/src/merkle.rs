//! Root of a range of leaves and its multiproof. Tree and proof order: docs/internals/ledger-program.md.

use crate::{
    errors::Failure,
    hash::{Hash, parent, parent_of_pair},
};

/// Folds `nodes` (the leaf hashes of the range that begins at `first`) up to the root of a tree of `leaves` leaves, taking the
/// missing neighbours from `proof`, which must be used up.
// Inlined: the machine passes five arguments at most.
#[inline(always)]
pub fn root_of_range(nodes: &mut [Hash], first: u32, leaves: u32, proof: &[Hash]) -> Result<Hash, Failure> {
    let mut missing = proof.iter();
    let (mut first, mut width) = (first as usize, leaves as usize);
    let mut length = nodes.len();
    while width > 1 {
        let (mut read, mut written) = (0usize, 0usize);
        if first & 1 == 1 {
            nodes[0] = parent(missing.next().ok_or(Failure::InvalidProof)?, &nodes[0]);
            (read, written) = (1, 1);
        }
        while read.wrapping_add(1) < length {
            nodes[written] = parent_of_pair(nodes[read..read.wrapping_add(2)].as_flattened());
            read = read.wrapping_add(2);
            written = written.wrapping_add(1);
        }
        if read < length {
            // The last node of an odd level has no neighbour and is carried up unchanged.
            nodes[written] = if first.wrapping_add(read) == width.wrapping_sub(1) {
                nodes[read]
            } else {
                parent(&nodes[read], missing.next().ok_or(Failure::InvalidProof)?)
            };
            written = written.wrapping_add(1);
        }
        first >>= 1;
        length = written;
        width = width.div_ceil(2);
    }
    if missing.next().is_some() {
        return Err(Failure::InvalidProof);
    }
    Ok(nodes[0])
}
