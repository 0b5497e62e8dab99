//! The ledger program's pure rules, compiled from its own source for this machine, to be tested and compared with the client's.
//! What the program needs the ledger for is tested in test/program.

#[path = "../../../../program/src/amount.rs"]
pub mod amount;
#[path = "../../../../program/src/bitmap.rs"]
pub mod bitmap;
#[path = "../../../../program/src/calendar.rs"]
pub mod calendar;
#[path = "../../../../program/src/errors.rs"]
pub mod errors;
#[path = "../../../../program/src/hash.rs"]
pub mod hash;
#[path = "../../../../program/src/merkle.rs"]
pub mod merkle;
#[path = "../../../../program/src/text.rs"]
pub mod text;
