//! SHA-256 with a first byte for what is hashed, so that no hash of one kind can stand for another.

#[cfg(target_os = "solana")]
use core::mem::MaybeUninit;

pub type Hash = [u8; 32];
/// A secret of a balance, or what follows from one: the first half of a hash.
pub type Half = [u8; 16];

const LEAF: u8 = 0x00;
const NODE: u8 = 0x01;
const OWNER: u8 = 0x02;
const BITMAP: u8 = 0x03;
const LIABILITY_BALANCE: u8 = 0x04;
const LIABILITY_WINDOW: u8 = 0x05;
const WITHDRAWAL: u8 = 0x06;
const PERSONAL_KEY: u8 = 0x09;
const PERSONAL_NONCE: u8 = 0x0a;

/// Pages that a bitmap has at most.
pub const MOST_BITMAP_PAGES: usize = 16;

#[cfg(target_os = "solana")]
fn sha256<const N: usize>(parts: &[&[u8]; N]) -> Hash {
    let mut result = MaybeUninit::<Hash>::uninit();
    // SAFETY: a slice of slices has the layout that the syscall reads (pointer, length); it writes 32 bytes.
    unsafe {
        solana_define_syscall::definitions::sol_sha256(parts.as_ptr().cast(), N as u64, result.as_mut_ptr().cast());
        result.assume_init()
    }
}

/// The same off the ledger, where the program's rules are tested.
#[cfg(not(target_os = "solana"))]
fn sha256<const N: usize>(parts: &[&[u8]; N]) -> Hash {
    use sha2::Digest;
    parts.iter().fold(sha2::Sha256::new(), Digest::chain_update).finalize().into()
}

/// Leaf `index` of a list; `terms` = owner 32 ‖ amount u64 ‖ blind 16.
pub fn leaf(index: u32, terms: &[u8]) -> Hash {
    let [a, b, c, d] = index.to_le_bytes();
    sha256(&[&[LEAF, a, b, c, d], terms])
}

/// Parent of two neighbours that stand next to each other in memory.
pub fn parent_of_pair(pair: &[u8]) -> Hash {
    sha256(&[&[NODE], pair])
}

/// Parent of two nodes.
pub fn parent(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[NODE], left, right])
}

/// Who owns a private balance, without saying it: `opening` 16 is a secret. `delivery`: 1, and all of it goes to the recipient's own wallet.
pub fn owner(recipient: &[u8], opening: &[u8], delivery: u8) -> Hash {
    sha256(&[&[OWNER, delivery], recipient, opening])
}

/// What the ledger keeps of a window's bitmap, of pages of bits.
pub fn bitmap<'a>(schedule: &'a [u8], window: u64, pages: impl Iterator<Item = &'a [u8]>) -> Hash {
    let window = window.to_le_bytes();
    let mut parts: [&[u8]; 3 + MOST_BITMAP_PAGES] = [&[]; 3 + MOST_BITMAP_PAGES];
    (parts[0], parts[1], parts[2]) = (&[BITMAP], schedule, &window);
    for (part, bits) in parts[3..].iter_mut().zip(pages) {
        *part = bits;
    }
    sha256(&parts)
}

/// Owed leaf of a balance, or of a withdrawal of one; `terms` = amount u64 ‖ number u64 ‖ blind 16.
pub fn liability_balance(index: u32, owner: &Hash, terms: &[u8]) -> Hash {
    let [a, b, c, d] = index.to_le_bytes();
    sha256(&[&[LIABILITY_BALANCE, a, b, c, d], owner, terms])
}

/// Owed leaf of an open window; `terms` = paid u64 ‖ blind 16.
pub fn liability_window(index: u32, schedule: &[u8], window: u64, terms: &[u8]) -> Hash {
    let [a, b, c, d] = index.to_le_bytes();
    sha256(&[&[LIABILITY_WINDOW, a, b, c, d], schedule, &window.to_le_bytes(), terms])
}

/// Leaf of a withdrawal that is to be paid; `blind` 16.
pub fn withdrawal(number: u64, amount: u64, wallet: &[u8], blind: &[u8]) -> Hash {
    sha256(&[&[WITHDRAWAL], &number.to_le_bytes(), &amount.to_le_bytes(), wallet, blind])
}

/// From it follow the addresses of a balance's personal accounts; whoever has not read the page does not know its nonce.
pub fn personal_key(page_nonce: &Half, owner: &Hash) -> Half {
    half(&sha256(&[&[PERSONAL_KEY], page_nonce, owner]))
}

/// Of the address of a balance's personal account with this number.
pub fn personal_nonce(key: &Half, number: u16) -> Half {
    half(&sha256(&[&[PERSONAL_NONCE], key, &number.to_le_bytes()]))
}

fn half(hash: &Hash) -> Half {
    let mut half = [0; 16];
    half.copy_from_slice(&hash[..16]);
    half
}
