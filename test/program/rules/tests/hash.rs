//! Every hash of the contract (docs/internals/ledger-program.md, Hashes), against SHA-256 of its bytes in one piece.

use payouts_rules::hash::{self, Hash};
use sha2::{Digest, Sha256};

const INDEX: u32 = 0x0102_0304;
const WINDOW: u64 = 0x1112_1314_1516_1718;

fn sha256(parts: &[&[u8]]) -> Hash {
    Sha256::digest(parts.concat()).into()
}

fn bytes<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|place| first.wrapping_add(place as u8))
}

#[test]
fn sha256_is_the_standards() {
    // NIST's example for "abc".
    let abc: Hash = Sha256::digest(b"abc").into();
    assert_eq!(abc[..4], [0xba, 0x78, 0x16, 0xbf]);
}

#[test]
fn each_hash_is_that_of_the_contracts_bytes() {
    let index = [4, 3, 2, 1];
    let window = [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11];
    let (left, right) = (bytes::<32>(7), bytes::<32>(99));
    let terms = bytes::<56>(1);
    assert_eq!(hash::leaf(INDEX, &terms), sha256(&[&[0x00], &index, &terms]));
    assert_eq!(hash::parent(&left, &right), sha256(&[&[0x01], &left, &right]));
    assert_eq!(hash::parent_of_pair(&[left, right].concat()), hash::parent(&left, &right));
    let salt = bytes::<16>(50);
    for delivery in [0, 1] {
        assert_eq!(hash::owner(&left, &salt, delivery), sha256(&[&[0x02, delivery], &left, &salt]));
    }
    let bits = bytes::<100>(3);
    for pages in [vec![&bits[..]], vec![&bits[..64], &bits[64..]]] {
        assert_eq!(hash::bitmap(&left, WINDOW, pages.into_iter()), sha256(&[&[0x03], &left, &window, &bits]));
    }
    let balance = bytes::<32>(20);
    assert_eq!(hash::liability_balance(INDEX, &left, &balance), sha256(&[&[0x04], &index, &left, &balance]));
    let paid = bytes::<24>(30);
    assert_eq!(hash::liability_window(INDEX, &left, WINDOW, &paid), sha256(&[&[0x05], &index, &left, &window, &paid]));
    assert_eq!(
        hash::withdrawal(WINDOW, WINDOW + 1, &left, &salt),
        sha256(&[&[0x06], &window, &(WINDOW + 1).to_le_bytes(), &left, &salt])
    );
    assert_eq!(hash::personal_key(&salt, &left), sha256(&[&[0x09], &salt, &left])[..16]);
    assert_eq!(hash::personal_nonce(&salt, 0x0102), sha256(&[&[0x0a], &salt, &[2, 1]])[..16]);
}

/// The bytes of an inner node, read as a leaf's: only the first byte of what is hashed tells them apart.
#[test]
fn no_leaf_is_an_inner_node() {
    let pair = bytes::<64>(9);
    let (index, terms) = pair.split_first_chunk::<4>().unwrap();
    let leaf = hash::leaf(u32::from_le_bytes(*index), terms);
    assert_eq!(leaf, sha256(&[&[0x00], &pair]));
    assert_ne!(leaf, hash::parent_of_pair(&pair));
}
