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

/// Syscalls that every cluster has and this program may use. Anything else is refused.
const SYSCALLS: [&str; 16] = [
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
    "sol_get_clock_sysvar",
    "sol_get_rent_sysvar",
    "sol_get_sysvar",
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

fn verify(file: &str) -> Result<usize, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let config = Config {
        reject_broken_elfs: true,
        enabled_sbpf_versions: SBPFVersion::V0..=SBPFVersion::V0,
        ..Config::default()
    };
    let mut loader = BuiltinProgram::<NoContext>::new_loader(config);
    for name in SYSCALLS {
        loader.register_definition::<NeverCalled>(name)?;
    }
    let executable = Executable::load(&bytes, Arc::new(loader))?;
    executable.verify::<RequisiteVerifier>()?;
    Ok(bytes.len())
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: verify FILE.so");
        return ExitCode::from(2);
    };
    match verify(&file) {
        Ok(length) => {
            println!("{file}: {length} bytes, loads strictly, verified");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}
