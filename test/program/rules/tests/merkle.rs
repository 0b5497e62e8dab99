//! `root_of_range` against a tree that keeps all its levels: every claim of small trees, right and wrong. Random ones of trees of any size
//! are what test/program/agreement compares with the client's.

use payouts_rules::{
    hash::{self, Hash},
    merkle::root_of_range,
};

/// As many recipients as fit a batch.
const MOST_LEAVES: usize = 1 << 20;
/// Trees up to this size are tested with each of their ranges.
const SMALL: usize = 33;

/// A tree as the contract describes it, without any economy.
struct Tree(Vec<Vec<Hash>>);

impl Tree {
    fn new(leaves: Vec<Hash>) -> Self {
        let mut levels = vec![leaves];
        while levels.last().unwrap().len() > 1 {
            let above = levels.last().unwrap().chunks(2).map(|pair| match pair {
                [left, right] => hash::parent(left, right),
                odd => odd[0],
            });
            let above = above.collect();
            levels.push(above);
        }
        Tree(levels)
    }

    fn of(count: usize) -> Self {
        Tree::new((0..count).map(leaf).collect())
    }

    fn len(&self) -> usize {
        self.0[0].len()
    }

    fn root(&self) -> Hash {
        self.0.last().unwrap()[0]
    }

    fn leaves(&self, range: Range) -> Vec<Hash> {
        self.0[0][range.start..range.end()].to_vec()
    }

    /// From `level` on: the proof of a range of that level's nodes.
    fn proof_above(&self, level: usize, range: Range) -> Vec<Hash> {
        let (mut first, mut last) = (range.start, range.end() - 1);
        let mut proof = vec![];
        for nodes in &self.0[level..] {
            if first % 2 == 1 {
                proof.push(nodes[first - 1]);
            }
            if last % 2 == 0 && last + 1 < nodes.len() {
                proof.push(nodes[last + 1]);
            }
            (first, last) = (first / 2, last / 2);
        }
        proof
    }

    fn proof(&self, range: Range) -> Vec<Hash> {
        self.proof_above(0, range)
    }

    /// Whether the ledger would take these leaves, at this place, with this proof, for the tree's.
    fn accepts(&self, leaves: &[Hash], start: usize, proof: &[Hash]) -> bool {
        // claim_payment looks at the range before it folds it.
        if leaves.is_empty() || start + leaves.len() > self.len() {
            return false;
        }
        root_of_range(&mut leaves.to_vec(), start as u32, self.len() as u32, proof)
            .is_ok_and(|root| root == self.root())
    }

    fn ranges(&self) -> impl Iterator<Item = Range> {
        let size = self.len();
        (0..size).flat_map(move |start| (1..=size - start).map(move |count| Range { start, count }))
    }
}

#[derive(Clone, Copy, Debug)]
struct Range {
    start: usize,
    count: usize,
}

impl Range {
    fn end(self) -> usize {
        self.start + self.count
    }
}

fn leaf(index: usize) -> Hash {
    let mut terms = [0; 56];
    terms[..8].copy_from_slice(&(index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    terms[32..40].copy_from_slice(&(index as u64 + 1).to_le_bytes());
    hash::leaf(index as u32, &terms)
}

fn small_trees() -> impl Iterator<Item = Tree> {
    (1..=SMALL).map(Tree::of)
}

#[test]
fn every_range_of_a_small_tree_rebuilds_its_root() {
    for tree in small_trees() {
        for range in tree.ranges() {
            assert!(tree.accepts(&tree.leaves(range), range.start, &tree.proof(range)), "{} {range:?}", tree.len());
        }
    }
}

#[test]
fn every_range_of_a_small_tree_is_refused_at_another_place() {
    for tree in small_trees() {
        for range in tree.ranges() {
            for start in (0..tree.len()).filter(|&start| start != range.start) {
                assert!(!tree.accepts(&tree.leaves(range), start, &tree.proof(range)), "{} {range:?}", tree.len());
                // Nor with the proof of that place.
                if start + range.count <= tree.len() {
                    let proof = tree.proof(Range { start, ..range });
                    assert!(!tree.accepts(&tree.leaves(range), start, &proof), "{} {range:?}", tree.len());
                }
            }
        }
    }
}

#[test]
fn every_range_of_a_small_tree_needs_exactly_its_proof() {
    for tree in small_trees() {
        for range in tree.ranges() {
            let (leaves, proof) = (tree.leaves(range), tree.proof(range));
            for place in 0..proof.len() {
                let mut missing = proof.clone();
                missing.remove(place);
                assert!(!tree.accepts(&leaves, range.start, &missing), "{} {range:?}", tree.len());
            }
            for place in 0..=proof.len() {
                for surplus in [tree.root(), leaves[0], [0; 32]] {
                    let mut more = proof.clone();
                    more.insert(place, surplus);
                    assert!(!tree.accepts(&leaves, range.start, &more), "{} {range:?}", tree.len());
                }
            }
        }
    }
}

#[test]
fn every_range_of_a_small_tree_is_refused_in_another_order() {
    for tree in small_trees() {
        for range in tree.ranges() {
            for place in 1..range.count {
                let mut leaves = tree.leaves(range);
                leaves.swap(place - 1, place);
                assert!(!tree.accepts(&leaves, range.start, &tree.proof(range)), "{} {range:?}", tree.len());
            }
        }
    }
}

/// A second preimage: the tree's own inner nodes, with the rest of their way to the root, are no leaves of it.
#[test]
fn inner_nodes_of_a_small_tree_are_no_leaves() {
    for tree in small_trees() {
        for (level, nodes) in tree.0.iter().enumerate().skip(1) {
            for (place, &node) in nodes.iter().enumerate() {
                let proof = tree.proof_above(level, Range { start: place, count: 1 });
                for start in 0..tree.len() {
                    // The last leaf of an odd level is its own ancestor.
                    let is_leaf = tree.0[0][start] == node && proof == tree.proof(Range { start, count: 1 });
                    assert_eq!(tree.accepts(&[node], start, &proof), is_leaf, "{} {level} {place}", tree.len());
                }
            }
            let all = Range { start: 0, count: nodes.len() };
            assert!(!tree.accepts(nodes, 0, &tree.proof_above(level, all)), "{} {level}", tree.len());
        }
    }
}

/// The odd last node is carried up, not doubled: a doubled last leaf makes another root.
#[test]
fn a_doubled_last_leaf_makes_another_root() {
    for count in 1..=SMALL {
        let mut leaves: Vec<Hash> = (0..count).map(leaf).collect();
        let root = Tree::new(leaves.clone()).root();
        leaves.push(leaves[count - 1]);
        assert_ne!(Tree::new(leaves.clone()).root(), root);
        let doubled = root_of_range(&mut leaves, 0, count as u32 + 1, &[]).ok();
        assert_ne!(doubled, Some(root));
    }
}

#[test]
fn duplicate_leaves_rebuild_the_root() {
    for count in 1..=SMALL {
        let tree = Tree::new(vec![leaf(0); count]);
        for range in tree.ranges() {
            assert!(tree.accepts(&tree.leaves(range), range.start, &tree.proof(range)), "{count} {range:?}");
        }
    }
}

#[test]
fn the_largest_tree_rebuilds_its_root() {
    let tree = Tree::of(MOST_LEAVES);
    for (start, count) in
        [(0, 1), (MOST_LEAVES - 1, 1), (40_000, 1), (0, MOST_LEAVES), (33_333, 64), (1, MOST_LEAVES - 2)]
    {
        let range = Range { start, count };
        assert!(tree.accepts(&tree.leaves(range), start, &tree.proof(range)), "{range:?}");
    }
}
