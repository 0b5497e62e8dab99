//! The ledger program of recurring payouts: what is locked, promised and settled, checked by the ledger.
//!
//! One program runs on the base ledger and inside the execution layer. Accounts, instructions and hashes:
//! docs/internals/ledger-program.md.
#![no_std]

extern crate alloc;

mod accounts;
mod amount;
mod authority;
mod bitmap;
mod calendar;
mod context;
mod data;
mod delegation;
mod entrypoint;
mod errors;
mod events;
mod hash;
mod instructions;
mod layer;
mod liabilities;
mod merkle;
mod numbers;
mod permission;
mod prelude;
mod release;
mod security;
mod sponsor;
mod state;
mod text;
mod token;
mod withdrawal;
