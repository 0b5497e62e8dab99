//! Every cause of failure has one number. The IDL carries the same list, with a sentence for each; tests compare the two.

use pinocchio::error::ProgramError;

macro_rules! catalogue {
    ($($name:ident = $code:literal: $sentence:literal,)*) => {
        /// Custom error of this program. Numbers begin at 6000 so that none is mistaken for another program's.
        #[derive(Clone, Copy)]
        #[repr(u32)]
        pub enum Failure {
            $(#[doc = $sentence] $name = $code,)*
        }
    };
}

catalogue! {
    NotUpgradeAuthority = 6000: "Only the program's upgrade authority can create the config",
    InvalidConfig = 6001: "A limit of the config is out of range",
    NotExecutionAuthority = 6002: "The signer is not the execution authority named in the config",
    NotEmployer = 6003: "The signer is not the employer of this vault",
    NotRecipient = 6004: "The signer is neither the recipient of this balance nor authorised by them",
    InvalidAccount = 6005: "An account is not the one this instruction needs",
    InvalidAddress = 6006: "An account's address does not derive from its seeds",
    InvalidTokenAccount = 6007: "A token account has the wrong mint, owner or state",
    InvalidMint = 6008: "The mint is not supported",
    ZeroAmount = 6009: "The amount is zero",
    InsufficientAvailable = 6010: "The vault's available amount does not cover this",
    InsufficientReserve = 6011: "The vault's reserve does not cover the window",
    TooManyRecipients = 6012: "More recipients than the config or an account allows",
    IntervalTooShort = 6013: "The interval is below the config's least interval",
    InvalidBatchTimeout = 6014: "The batch timeout is outside the config's limits",
    InvalidSchedule = 6015: "A term of the schedule is invalid",
    ScheduleNotActive = 6016: "The schedule is not active",
    WindowAlreadyOpen = 6017: "A window of this schedule is already open",
    WindowNotOpen = 6018: "No window of this schedule is open",
    WrongWindow = 6019: "The window number is not the one the ledger expects",
    NotDue = 6020: "The schedule is not due yet",
    BatchNotOpen = 6021: "The batch is not open",
    BatchNotClosed = 6022: "The batch has not come back closed",
    BatchOutOfBounds = 6023: "The batch claims more than its window allows",
    BatchNotComplete = 6024: "Recipients are unpaid and the batch timeout has not passed",
    InvalidRange = 6025: "The range of leaves is empty, too large or beyond the list",
    InvalidProof = 6026: "The leaves and proof do not rebuild the root",
    ScheduleNotPaused = 6027: "The schedule is not paused",
    OrderNotDue = 6028: "Nothing of this balance is to leave by itself",
    InsufficientBalance = 6029: "The balance does not cover the withdrawal",
    WithdrawalPending = 6030: "A withdrawal of this balance is already under way",
    NoWithdrawalPending = 6031: "No withdrawal of this balance is under way",
    WithdrawalUnderWay = 6032: "The withdrawal is under way and can't be issued again yet",
    WithdrawalAlreadyPaid = 6033: "This withdrawal number has been paid",
    InvalidEscrow = 6034: "The action was not sent by this program through the pool's escrow",
    PoolShortfall = 6035: "The pool does not hold what this needs",
    Overflow = 6036: "A number does not fit",
    InvalidData = 6037: "The instruction's data is malformed",
    InvalidCallback = 6038: "The undelegation callback is not for a batch or counter of this program",
    NotValidator = 6039: "The action was not sent by the execution layer's validator named in the config",
    NotGovernance = 6040: "The signer is not the governance named in the config",
    NotGuardian = 6041: "The signer is not the guardian named in the config",
    NotWhitelisted = 6042: "The employer or the mint is not on the whitelist",
    LayerLost = 6043: "The execution layer is declared lost",
    LayerNotLost = 6044: "The execution layer is not lost: nobody declared it, or the grace time still runs",
    InvalidCalendar = 6045: "The calendar rule is invalid, or the first execution is not on one of its days",
    TooManyHeld = 6046: "No more recipients of this schedule can be held back",
    AlreadyHeld = 6047: "This recipient is held back already",
    NotHeld = 6048: "This recipient is not held back",
    StaleRoot = 6049: "Another liabilities root was recorded meanwhile",
    LiabilitiesMismatch = 6050: "The liabilities total is not what the pool holds",
    NotCovered = 6051: "The recorded liabilities tree does not know this withdrawal yet",
    AlreadyRedeemed = 6052: "This leaf of the liabilities tree has been redeemed",
    VaultClosed = 6053: "The vault is closed",
    VaultNotEmpty = 6054: "The vault has schedules, or tokens that are reserved or in open windows",
    ScheduleNotEnded = 6055: "The schedule is neither cancelled nor completed, or a window of it is open",
    ScheduleEnded = 6056: "The schedule is cancelled or completed",
    IdNotNew = 6057: "The schedule's id is below the vault's next one",
    LayerStateLost = 6058: "The execution layer has lost withdrawal numbers that the base ledger knows",
    UnsupportedExtension = 6059: "The mint has an extension that is not on the list of those allowed",
    InvalidReleaseTime = 6060: "The release time is too early or too far ahead",
    WithdrawalNotReleased = 6061: "The withdrawal waits for its release time",
    NotApprover = 6062: "The signer is not the approver of this vault",
    InvalidApprover = 6063: "The approver must be another key than the employer's",
    NothingProposed = 6064: "Nothing waits for approval here",
    ProposalChanged = 6065: "What waits for approval is not what this names",
    ProposalExpired = 6066: "What waits for approval was proposed too long ago",
    ApprovalRequired = 6067: "The amount is above the vault's limit, so its approver signs too",
    ApprovalPolicyStands = 6068: "The vault has an approval policy",
    ChangeNotDue = 6069: "The employer alone can't change the approval policy yet",
    PermissionNotSet = 6070: "The permission program has not set the read permission",
}

impl From<Failure> for ProgramError {
    fn from(failure: Failure) -> Self {
        ProgramError::Custom(failure as u32)
    }
}
