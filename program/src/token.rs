//! Tokens of the classic SPL token program.

use crate::errors::Failure;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Signer, invoke_signed},
    instruction::{InstructionAccount, InstructionView},
};
use pinocchio_token::{
    instructions::TransferChecked,
    state::{Account, Mint},
};
use solana_address::address;

/// The SPL associated token account program.
pub const ASSOCIATED_TOKEN_PROGRAM: Address = address!("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// The SPL token program.
pub const TOKEN_PROGRAM: Address = pinocchio_token::ID;

/// Decimals of an initialised mint of the token program.
pub fn mint_decimals(mint: &AccountView) -> Result<u8, Failure> {
    let mint = Mint::from_account_view(mint).map_err(|_| Failure::InvalidMint)?;
    if mint.is_initialized() { Ok(mint.decimals()) } else { Err(Failure::InvalidMint) }
}

/// The associated token account of `owner` for `mint`, initialised, and in nobody else's hands.
pub fn check_associated(account: &AccountView, owner: &Address, mint: &Address) -> Result<(), Failure> {
    crate::accounts::derived(
        account,
        &[owner.as_ref(), TOKEN_PROGRAM.as_ref(), mint.as_ref()],
        &ASSOCIATED_TOKEN_PROGRAM,
    )?;
    let token = Account::from_account_view(account).map_err(|_| Failure::InvalidTokenAccount)?;
    if token.owner() != owner
        || token.mint() != mint
        || !token.is_initialized()
        || token.has_delegate()
        || token.has_close_authority()
    {
        return Err(Failure::InvalidTokenAccount);
    }
    Ok(())
}

/// A move of tokens: one struct, because the machine passes five arguments at most.
pub struct Transfer<'a> {
    pub from: &'a AccountView,
    pub to: &'a AccountView,
    pub mint: &'a AccountView,
    pub authority: &'a AccountView,
    pub token_program: &'a AccountView,
    /// Base units.
    pub amount: u64,
    pub decimals: u8,
}

impl Transfer<'_> {
    /// Moves the tokens; the token program checks mint, balances and the authority's signature.
    pub fn invoke(&self, signers: &[Signer]) -> ProgramResult {
        crate::accounts::is(self.token_program, &TOKEN_PROGRAM)?;
        TransferChecked::new(self.from, self.mint, self.to, self.authority, self.amount, self.decimals)
            .invoke_signed(signers)
    }
}

/// Accounts of an associated token account's creation, in the program's order.
pub struct CreateAssociated<'a> {
    pub payer: &'a AccountView,
    pub account: &'a AccountView,
    pub wallet: &'a AccountView,
    pub mint: &'a AccountView,
    pub system_program: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl CreateAssociated<'_> {
    /// Creates the wallet's associated token account, or checks that the one there is the wallet's. The payer has signed.
    pub fn invoke_idempotent(&self) -> ProgramResult {
        const CREATE_IDEMPOTENT: u8 = 1;
        let instruction = InstructionView {
            program_id: &ASSOCIATED_TOKEN_PROGRAM,
            data: &[CREATE_IDEMPOTENT],
            accounts: &[
                InstructionAccount::writable_signer(self.payer.address()),
                InstructionAccount::writable(self.account.address()),
                InstructionAccount::readonly(self.wallet.address()),
                InstructionAccount::readonly(self.mint.address()),
                InstructionAccount::readonly(self.system_program.address()),
                InstructionAccount::readonly(self.token_program.address()),
            ],
        };
        invoke_signed(
            &instruction,
            &[self.payer, self.account, self.wallet, self.mint, self.system_program, self.token_program],
            &[],
        )
    }
}
