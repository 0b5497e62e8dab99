//! Answers what test/program/agreement.ts asks, by the program's own rules. Questions come on standard input, one after another:
//! a letter and its fields, integers little-endian. Answers go to standard output in the same order:
//!
//! - `l` tree of leaves: count u32, terms [56] each → its root [32]
//! - `n` tree of nodes: count u32, hashes [32] each → its root [32]
//! - `L`, `N` range of leaves or nodes: root [32], leaves u32, start u32, count u32, terms or hashes, proof u32 count, hashes
//!   → 1 if the ledger would accept them, else 0, u8
//! - `o` owner: recipient [32], opening [16], delivery u8 → its hash [32]
//! - `p` personal account: page's nonce [16], owner [32], number u16 → its nonce [16]
//! - `b`, `w` liability leaf of a balance or window: index u32, owner or schedule [32], then [32], or window u64 and [24] → its hash [32]
//! - `c` calendar: unit u8, every u32, day u8, planned i64, now i64 → least_seconds u64, then check (0 if valid), next, first_after
//!   and first_from, i64 each: the time, or the negated number of the error

use payouts_rules::{
    calendar::Calendar,
    errors::Failure,
    hash::{self, Hash},
    merkle::root_of_range,
};
use std::{
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    process::ExitCode,
};

const TERMS: usize = 56;
const BUFFER: usize = 1 << 20;

struct Questions<R>(BufReader<R>);

impl<R: Read> Questions<R> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn arrays<const N: usize>(&mut self, count: u32) -> io::Result<Vec<[u8; N]>> {
        (0..count).map(|_| self.array()).collect()
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn i64(&mut self) -> io::Result<i64> {
        self.array().map(i64::from_le_bytes)
    }

    /// Nodes of a tree's lowest level from `start` on: hashed from a leaf's terms or as they are.
    fn nodes(&mut self, are_leaves: bool, start: u32, count: u32) -> io::Result<Vec<Hash>> {
        if !are_leaves {
            return self.arrays(count);
        }
        (0..count).map(|place| Ok(hash::leaf(start + place, &self.array::<TERMS>()?))).collect()
    }

    fn tree(&mut self, are_leaves: bool) -> io::Result<Vec<u8>> {
        let count = self.u32()?;
        let mut nodes = self.nodes(are_leaves, 0, count)?;
        match root_of_range(&mut nodes, 0, count, &[]) {
            Ok(root) => Ok(root.to_vec()),
            Err(_) => Err(io::Error::other("a whole tree needs no proof")),
        }
    }

    /// As claim_payment asks: the range within the list, then the root.
    fn range(&mut self, are_leaves: bool) -> io::Result<Vec<u8>> {
        let root: Hash = self.array()?;
        let (leaves, start, count) = (self.u32()?, self.u32()?, self.u32()?);
        let mut nodes = self.nodes(are_leaves, start, count)?;
        let proof_length = self.u32()?;
        let proof = self.arrays(proof_length)?;
        let within = count > 0 && u64::from(start) + u64::from(count) <= u64::from(leaves);
        let accepted = within && root_of_range(&mut nodes, start, leaves, &proof).is_ok_and(|rebuilt| rebuilt == root);
        Ok(vec![u8::from(accepted)])
    }

    fn owner(&mut self) -> io::Result<Vec<u8>> {
        let (recipient, opening, [delivery]) = (self.array::<32>()?, self.array::<16>()?, self.array()?);
        Ok(hash::owner(&recipient, &opening, delivery).to_vec())
    }

    fn personal_nonce(&mut self) -> io::Result<Vec<u8>> {
        let (page_nonce, owner) = (self.array::<16>()?, self.array::<32>()?);
        let number = self.array().map(u16::from_le_bytes)?;
        Ok(hash::personal_nonce(&hash::personal_key(&page_nonce, &owner), number).to_vec())
    }

    fn liability_balance(&mut self) -> io::Result<Vec<u8>> {
        Ok(hash::liability_balance(self.u32()?, &self.array::<32>()?, &self.array::<32>()?).to_vec())
    }

    fn liability_window(&mut self) -> io::Result<Vec<u8>> {
        let (index, schedule, window) = (self.u32()?, self.array::<32>()?, self.array().map(u64::from_le_bytes)?);
        Ok(hash::liability_window(index, &schedule, window, &self.array::<24>()?).to_vec())
    }

    fn calendar(&mut self) -> io::Result<Vec<u8>> {
        let [unit, a, b, c, d, day] = self.array()?;
        let calendar = Calendar { unit, every: u32::from_le_bytes([a, b, c, d]), day, dates: &[] };
        let (planned, now) = (self.i64()?, self.i64()?);
        let answer = |result: Result<i64, Failure>| result.unwrap_or_else(|failure| -i64::from(failure as u32));
        let answers = [
            calendar.least_seconds() as i64,
            answer(calendar.check(planned).map(|()| 0)),
            answer(calendar.next(planned)),
            answer(calendar.first_after(planned, now)),
            answer(calendar.first_from(planned, now)),
        ];
        Ok(answers.map(i64::to_le_bytes).concat())
    }

    fn answer(&mut self) -> io::Result<Vec<u8>> {
        match &self.array()? {
            b"l" => self.tree(true),
            b"n" => self.tree(false),
            b"L" => self.range(true),
            b"N" => self.range(false),
            b"o" => self.owner(),
            b"p" => self.personal_nonce(),
            b"b" => self.liability_balance(),
            b"w" => self.liability_window(),
            b"c" => self.calendar(),
            other => Err(io::Error::other(format!("no question begins with {}", other.escape_ascii()))),
        }
    }
}

fn answer_all() -> io::Result<()> {
    let mut questions = Questions(BufReader::with_capacity(BUFFER, io::stdin().lock()));
    let mut answers = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    while !questions.0.fill_buf()?.is_empty() {
        answers.write_all(&questions.answer()?)?;
        // Whoever asks waits for the answers to everything asked so far.
        if questions.0.buffer().is_empty() {
            answers.flush()?;
        }
    }
    answers.flush()
}

fn main() -> ExitCode {
    match answer_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agreement: {error}");
            ExitCode::FAILURE
        }
    }
}
