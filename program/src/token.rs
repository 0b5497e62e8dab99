//! Tokens of the classic SPL token program, and of Token-2022 where no extension of the mint makes an amount mean something else.

use crate::{
    accounts,
    context::{Account, AssociatedTokenProgram, KnownAddress},
    errors::Failure,
    state::{Pool, Vault},
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Signer, invoke_signed},
    instruction::{InstructionAccount, InstructionView},
};
use solana_address::address;

/// The classic SPL token program.
const TOKEN_PROGRAM: Address = address!("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
/// Token-2022.
const TOKEN_2022_PROGRAM: Address = address!("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");

// Layouts of SPL Token (program-2022 keeps them, and appends a kind of account and extensions).
const MINT_SIZE: usize = 82;
const MINT_DECIMALS: usize = 44;
const MINT_INITIALIZED: usize = 45;
/// Not 0: somebody may freeze accounts.
const MINT_FREEZABLE: usize = 46;
const TOKEN_SIZE: usize = 165;
const TOKEN_AMOUNT: usize = 64;
const TOKEN_DELEGATE: usize = 72;
const TOKEN_STATE: usize = 108;
const TOKEN_CLOSE_AUTHORITY: usize = 129;
/// Token-2022 keeps a mint's or an account's kind here, and its extensions behind.
const KIND: usize = 165;
const KIND_MINT: u8 = 1;
const KIND_TOKEN: u8 = 2;
/// A multisig's size; its bytes are its makers' and could be made to look like a mint.
const MULTISIG_SIZE: usize = 355;

// Instructions of both token programs.
const CLOSE_ACCOUNT: u8 = 9;
const TRANSFER_CHECKED: u8 = 12;

/// Extensions of a mint that say something about it and do nothing to its tokens: metadata pointer and metadata, group and
/// member pointers and contents.
fn is_harmless(extension: u16) -> bool {
    (18..=23).contains(&extension)
}

/// Extensions that give somebody a power over the token, and leave what an amount is: a transfer fee (none may be taken: see
/// `Transfer`), closing of the mint, confidential transfers and their fee, accounts that are frozen at first, a permanent delegate, a
/// transfer hook (none may be set), pausing. All others (interest, scaled amounts, tokens that don't move ...) are refused.
fn is_a_power(extension: u16) -> bool {
    matches!(extension, 1 | 3 | 4 | 6 | 12 | 14 | 16 | 26)
}

/// What of a mint decides whether and how it is paid in.
pub struct Mint {
    pub decimals: u8,
    /// Somebody has a power over everybody's tokens: only a mint that governance has listed is taken.
    pub has_powers: bool,
}

/// Whether an extension gives somebody a power. `rest`: type u16, length u16 and bytes each; type 0 ends.
fn have_powers(mut rest: &[u8]) -> Result<bool, Failure> {
    let mut has_powers = false;
    while let Some(([a, b, c, d], after)) = rest.split_first_chunk::<4>() {
        let extension = u16::from_le_bytes([*a, *b]);
        if extension == 0 {
            break;
        }
        if is_a_power(extension) {
            has_powers = true;
        } else if !is_harmless(extension) {
            return Err(Failure::UnsupportedExtension);
        }
        rest = after.get(usize::from(u16::from_le_bytes([*c, *d]))..).ok_or(Failure::InvalidMint)?;
    }
    Ok(has_powers)
}

impl Mint {
    /// An initialised mint that is supported.
    pub fn of(mint: &AccountView) -> Result<Self, Failure> {
        // SAFETY: nothing writes the account meanwhile.
        let data = unsafe { mint.borrow_unchecked() };
        let mut has_powers = false;
        if mint.owned_by(&TOKEN_2022_PROGRAM) && data.len() > KIND && data.len() != MULTISIG_SIZE {
            if data[KIND] != KIND_MINT {
                return Err(Failure::InvalidMint);
            }
            has_powers = have_powers(data.get(KIND.wrapping_add(1)..).unwrap_or(&[]))?;
        } else if !(mint.owned_by(&TOKEN_PROGRAM) || mint.owned_by(&TOKEN_2022_PROGRAM)) || data.len() != MINT_SIZE {
            return Err(Failure::InvalidMint);
        }
        match (data.get(MINT_INITIALIZED), data.get(MINT_DECIMALS), data.get(MINT_FREEZABLE)) {
            (Some(1), Some(&decimals), Some(&freezable)) => {
                Ok(Self { decimals, has_powers: has_powers || freezable != 0 })
            }
            _ => Err(Failure::InvalidMint),
        }
    }
}

/// The associated token account of `owner` for `mint`, initialised, and in nobody else's hands.
pub fn check_associated(account: &AccountView, owner: &Address, mint: &AccountView) -> Result<(), Failure> {
    // The mint was checked to be one of a token program's.
    let program = mint.owner();
    accounts::derived(
        account,
        &[owner.as_ref(), program.as_ref(), mint.address().as_ref()],
        &AssociatedTokenProgram::ADDRESS,
    )?;
    // SAFETY: nothing writes the account meanwhile.
    let data = unsafe { account.borrow_unchecked() };
    let is_extended =
        program == &TOKEN_2022_PROGRAM && data.len() > KIND && data.len() != MULTISIG_SIZE && data[KIND] == KIND_TOKEN;
    let is_token = account.owned_by(program) && (data.len() == TOKEN_SIZE || is_extended);
    if !is_token
        || data[..32] != *mint.address().as_ref()
        || data[32..64] != *owner.as_ref()
        || data[TOKEN_STATE] != 1
        || data[TOKEN_DELEGATE] != 0
        || data[TOKEN_CLOSE_AUTHORITY] != 0
    {
        return Err(Failure::InvalidTokenAccount);
    }
    Ok(())
}

/// Base units in a token account of this program's.
pub fn amount_of(account: &AccountView) -> Result<u64, Failure> {
    // SAFETY: nothing writes the account meanwhile.
    let data = unsafe { account.borrow_unchecked() };
    let bytes = data.get(TOKEN_AMOUNT..).and_then(|rest| rest.first_chunk()).ok_or(Failure::InvalidTokenAccount)?;
    Ok(u64::from_le_bytes(*bytes))
}

/// The token program is the one that the mint belongs to. Pools check at their creation that it is a token program.
fn check_program(program: &AccountView, mint: &AccountView) -> Result<(), Failure> {
    accounts::is(program, mint.owner())?;
    if program.address() == &TOKEN_PROGRAM || program.address() == &TOKEN_2022_PROGRAM {
        Ok(())
    } else {
        Err(Failure::InvalidAccount)
    }
}

/// A move of tokens: one struct, because the machine passes five arguments at most.
pub struct Transfer<'a> {
    pub from: &'a AccountView,
    pub to: &'a AccountView,
    pub mint: &'a AccountView,
    pub token_program: &'a AccountView,
    /// Base units.
    pub amount: u64,
    pub decimals: u8,
}

impl Transfer<'_> {
    /// Out of a vault, which signs by its seeds.
    pub fn out_of_vault(&self, vault: &Account<Vault>) -> ProgramResult {
        let bump = [vault.header.bump];
        let seeds = Vault::signer_seeds(vault.employer.as_ref(), vault.mint.as_ref(), &bump);
        self.invoke(&vault.view, &[(&seeds).into()])
    }

    /// Out of a pool, which signs by its seeds.
    #[inline(never)]
    pub fn out_of_pool(&self, pool: &Account<Pool>) -> ProgramResult {
        let bump = [pool.header.bump];
        self.invoke(&pool.view, &[(&Pool::signer_seeds(pool.mint.as_ref(), &bump)).into()])
    }

    /// Moves the tokens; the token program checks mint, balances and the authority's signature. Whatever the token's issuer has set
    /// meanwhile, all that is sent arrives, or nothing is.
    #[inline(never)]
    pub fn invoke(&self, authority: &AccountView, signers: &[Signer]) -> ProgramResult {
        check_program(self.token_program, self.mint)?;
        let before = amount_of(self.to)?;
        self.send(authority, signers)?;
        if amount_of(self.to)?.checked_sub(before) == Some(self.amount) {
            Ok(())
        } else {
            Err(Failure::TokensMissing.into())
        }
    }

    #[inline(never)]
    fn send(&self, authority: &AccountView, signers: &[Signer]) -> ProgramResult {
        let [a, b, c, d, e, f, g, h] = self.amount.to_le_bytes();
        invoke_signed(
            &InstructionView {
                program_id: self.token_program.address(),
                data: &[TRANSFER_CHECKED, a, b, c, d, e, f, g, h, self.decimals],
                accounts: &[
                    InstructionAccount::writable(self.from.address()),
                    InstructionAccount::readonly(self.mint.address()),
                    InstructionAccount::writable(self.to.address()),
                    InstructionAccount::readonly_signer(authority.address()),
                ],
            },
            &[self.from, self.mint, self.to, authority],
            signers,
        )
    }
}

/// Closes an empty token account of a vault; the receiver takes its lamports.
pub struct Close<'a> {
    pub account: &'a AccountView,
    pub receiver: &'a AccountView,
    pub mint: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl Close<'_> {
    #[inline(never)]
    pub fn invoke(&self, vault: &Account<Vault>) -> ProgramResult {
        check_program(self.token_program, self.mint)?;
        let bump = [vault.header.bump];
        let seeds = Vault::signer_seeds(vault.employer.as_ref(), vault.mint.as_ref(), &bump);
        invoke_signed(
            &InstructionView {
                program_id: self.token_program.address(),
                data: &[CLOSE_ACCOUNT],
                accounts: &[
                    InstructionAccount::writable(self.account.address()),
                    InstructionAccount::writable(self.receiver.address()),
                    InstructionAccount::readonly_signer(vault.address()),
                ],
            },
            &[self.account, self.receiver, &vault.view],
            &[(&seeds).into()],
        )
    }
}

/// Accounts of an associated token account's creation, in the program's order.
pub struct CreateAssociated<'a> {
    pub account: &'a AccountView,
    pub wallet: &'a AccountView,
    pub mint: &'a AccountView,
    pub system_program: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl CreateAssociated<'_> {
    /// Creates the wallet's associated token account, or checks that the one there is the wallet's. The payer signs.
    pub fn invoke_idempotent(&self, payer: &AccountView, signers: &[Signer]) -> ProgramResult {
        const CREATE_IDEMPOTENT: u8 = 1;
        let instruction = InstructionView {
            program_id: &AssociatedTokenProgram::ADDRESS,
            data: &[CREATE_IDEMPOTENT],
            accounts: &[
                InstructionAccount::writable_signer(payer.address()),
                InstructionAccount::writable(self.account.address()),
                InstructionAccount::readonly(self.wallet.address()),
                InstructionAccount::readonly(self.mint.address()),
                InstructionAccount::readonly(self.system_program.address()),
                InstructionAccount::readonly(self.token_program.address()),
            ],
        };
        invoke_signed(
            &instruction,
            &[payer, self.account, self.wallet, self.mint, self.system_program, self.token_program],
            signers,
        )
    }
}
