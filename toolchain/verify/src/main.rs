//! Loads a program as strictly as a validator does when it is deployed: a broken ELF, an unknown syscall or an instruction that the
//! verifier refuses is an error here and not a surprise at the first call.
//!
//!     verify FILE.so

use solana_sbpf::{
    elf::Executable,
    memory_region::MemoryMapping,
    program::{BuiltinFunctionDefinition, BuiltinProgram, SBPFVersion},
    verifier::RequisiteVerifier,
    vm::{Config, ContextObject},
};
use std::{error::Error, process::ExitCode, ptr::NonNull, sync::Arc};

/// Syscalls that every cluster has and these programs may use, the one for the curve wherever the delegation program is, which needs it, too.
/// Anything else is refused.
const SYSCALLS: [&str; 19] = [
    "abort",
    "sol_panic_",
    "sol_log_",
    "sol_log_64_",
    "sol_log_data",
    "sol_memcpy_",
    "sol_memmove_",
    "sol_memset_",
    "sol_memcmp_",
    "sol_sha256",
    "sol_invoke_signed_c",
    "sol_create_program_address",
    "sol_try_find_program_address",
    "sol_curve_validate_point",
    "sol_get_clock_sysvar",
    "sol_get_rent_sysvar",
    "sol_get_stack_height",
    "sol_get_sysvar",
    "sol_set_return_data",
];

/// Nothing is run, so nothing is counted.
struct NoContext;

impl ContextObject for NoContext {
    fn consume(&mut self, _amount: u64) {}

    fn get_remaining(&self) -> u64 {
        0
    }

    fn active_mapping_ptr(&mut self) -> NonNull<MemoryMapping> {
        unreachable!("a program that is never run maps no memory")
    }
}

struct NeverCalled;

impl BuiltinFunctionDefinition<NoContext> for NeverCalled {
    type Error = Box<dyn Error>;

    fn rust(_: &mut NoContext, _: u64, _: u64, _: u64, _: u64, _: u64) -> Result<u64, Self::Error> {
        Err("this loader runs nothing".into())
    }
}

/// Loads and verifies; returns the program's instructions as bytes.
fn load(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let config = Config {
        reject_broken_elfs: true,
        enabled_sbpf_versions: SBPFVersion::V0..=SBPFVersion::V0,
        ..Config::default()
    };
    let mut loader = BuiltinProgram::<NoContext>::new_loader(config);
    for name in SYSCALLS {
        loader.register_definition::<NeverCalled>(name)?;
    }
    let executable = Executable::load(bytes, Arc::new(loader))?;
    executable.verify::<RequisiteVerifier>()?;
    Ok(executable.get_text_bytes().1.to_vec())
}

/// Bytes of the machine's stack frame.
const FRAME: i32 = 4096;
const INSTRUCTION: usize = 8;
const FRAME_POINTER: u8 = 10;

/// How far below its frame pointer any function reaches, in bytes: by loads, by stores, and by addresses it makes. The verifier doesn't
/// look at that; beyond a frame lies the caller's.
fn deepest_frame(text: &[u8]) -> i32 {
    const MOVE: u8 = 0xbf;
    const ADD_IMMEDIATE: u8 = 0x07;
    const CALL: u8 = 0x85;
    const EXIT: u8 = 0x95;
    let mut holds_frame_pointer = [false; 16];
    let mut deepest = 0;
    for instruction in text.chunks_exact(INSTRUCTION) {
        let (opcode, to, from) = (instruction[0], instruction[1] & 15, instruction[1] >> 4);
        let offset = i32::from(i16::from_le_bytes([instruction[2], instruction[3]]));
        let immediate = i32::from_le_bytes([instruction[4], instruction[5], instruction[6], instruction[7]]);
        let reached = match (opcode, opcode & 7) {
            (MOVE, _) => {
                holds_frame_pointer[usize::from(to)] = from == FRAME_POINTER;
                0
            }
            (ADD_IMMEDIATE, _) if holds_frame_pointer[usize::from(to)] => immediate,
            (CALL | EXIT, _) => {
                holds_frame_pointer = [false; 16];
                0
            }
            (_, 1) if from == FRAME_POINTER => offset,
            (_, 2 | 3) if to == FRAME_POINTER => offset,
            _ => 0,
        };
        deepest = deepest.min(reached);
    }
    -deepest
}

/// Where the instructions stand in the file: the executable section of their length (ELF64: section headers at u64 40, 64 bytes each;
/// flags at 8, offset at 24, size at 32).
fn text_offset(bytes: &[u8], length: usize) -> Option<usize> {
    const EXECUTABLE: u64 = 4;
    let number = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let headers = usize::try_from(number(40)?).ok()?;
    bytes.get(headers..)?.chunks_exact(64).find_map(|header| {
        let field = |at: usize| header[at..at + 8].try_into().ok().map(u64::from_le_bytes);
        (field(8)? & EXECUTABLE != 0 && field(32)? == length as u64).then_some(field(24)? as usize)
    })
}

/// Copies of the program with one thing broken each; every one must be refused, else this loader would check nothing.
fn broken_copies(bytes: &[u8], text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let find = |part: &[u8]| bytes.windows(part.len()).position(|window| window == part);
    let with = |at: usize, changed: &[u8]| {
        let mut copy = bytes.to_vec();
        copy[at..at + changed.len()].copy_from_slice(changed);
        copy
    };
    let mut copies = vec![
        ("truncated", bytes[..bytes.len() / 2].to_vec()),
        ("not an ELF", with(0, b"\0\0\0\0")),
        ("for another machine", with(18, &[62])),
        ("section headers out of bounds", with(40, &u64::MAX.to_le_bytes())),
    ];
    if let Some(at) = find(b"sol_sha256") {
        copies.push(("unknown syscall", with(at, b"sol_sha999")));
    }
    if let Some(at) = text_offset(bytes, text.len()) {
        copies.push(("unknown instruction", with(at, &[0xff])));
        copies.push(("jump to before the program", with(at, &[0x05, 0, 0, 0x80, 0, 0, 0, 0])));
        copies.push(("division by zero", with(at, &[0x37, 0, 0, 0, 0, 0, 0, 0])));
        copies.push(("write to the frame pointer", with(at, &[0xb7, FRAME_POINTER, 0, 0, 0, 0, 0, 0])));
    }
    copies
}

fn verify(file: &str) -> Result<String, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let text = load(&bytes)?;
    let deepest = deepest_frame(&text);
    if deepest > FRAME {
        return Err(format!("a function reaches {deepest} bytes below its frame pointer; {FRAME} are its own").into());
    }
    let copies = broken_copies(&bytes, &text);
    for (what, copy) in &copies {
        if load(copy).is_ok() {
            return Err(format!("a broken copy was loaded too: {what}").into());
        }
    }
    Ok(format!(
        "{} bytes, loads strictly, verified, deepest frame {deepest} of {FRAME} bytes; {} broken copies refused",
        bytes.len(),
        copies.len()
    ))
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: verify FILE.so");
        return ExitCode::from(2);
    };
    match verify(&file) {
        Ok(what) => {
            println!("{file}: {what}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}
