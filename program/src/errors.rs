//! Every cause of failure has one number and one sentence, which the client's catalogue and docs/reference/errors.md take from here.

use pinocchio::error::ProgramError;

/// Custom error of this program. Numbers begin at 6000 so that none is mistaken for another program's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Failure {
    /// Only the program's upgrade authority can create the config
    NotUpgradeAuthority = 6000,
    /// A limit of the config is out of range
    InvalidConfig = 6001,
    /// The signer is not the execution authority named in the config
    NotExecutionAuthority = 6002,
    /// The signer is not the employer of this vault
    NotEmployer = 6003,
    /// The signer is neither the recipient of this balance nor authorised by them
    NotRecipient = 6004,
    /// An account is not the one this instruction needs
    InvalidAccount = 6005,
    /// An account's address does not derive from its seeds
    InvalidAddress = 6006,
    /// A token account has the wrong mint, owner or state
    InvalidTokenAccount = 6007,
    /// The mint is not supported
    InvalidMint = 6008,
    /// The amount is zero
    ZeroAmount = 6009,
    /// The vault's available amount does not cover this
    InsufficientAvailable = 6010,
    /// The vault's reserve does not cover the window
    InsufficientReserve = 6011,
    /// More recipients than the config or an account allows
    TooManyRecipients = 6012,
    /// The interval is below the config's least interval
    IntervalTooShort = 6013,
    /// The batch timeout is outside the config's limits
    InvalidBatchTimeout = 6014,
    /// A term of the schedule is invalid
    InvalidSchedule = 6015,
    /// The schedule is not active
    ScheduleNotActive = 6016,
    /// A window of this schedule is already open
    WindowAlreadyOpen = 6017,
    /// No window of this schedule is open
    WindowNotOpen = 6018,
    /// The window number is not the one the ledger expects
    WrongWindow = 6019,
    /// The schedule is not due yet
    NotDue = 6020,
    /// The batch is not open
    BatchNotOpen = 6021,
    /// The batch has not come back closed, and the batch timeout has not passed
    BatchNotClosed = 6022,
    /// The batch claims more than its window allows
    BatchOutOfBounds = 6023,
    /// Recipients are unpaid and the batch timeout has not passed
    BatchNotComplete = 6024,
    /// The range of leaves is empty, too large or beyond the list
    InvalidRange = 6025,
    /// The leaves and proof do not rebuild the root
    InvalidProof = 6026,
    /// The schedule is not paused
    ScheduleNotPaused = 6027,
    /// Nothing of this balance is to leave by itself
    OrderNotDue = 6028,
    /// The balance does not cover the withdrawal
    InsufficientBalance = 6029,
    /// As many withdrawals of this balance are under way as can be
    TooManyWithdrawals = 6030,
    /// No withdrawal of this balance is under way
    NoWithdrawalPending = 6031,
    /// The withdrawal is under way and can't be issued again yet
    WithdrawalUnderWay = 6032,
    /// This withdrawal number has been paid
    WithdrawalAlreadyPaid = 6033,
    /// The action was not sent by this program through the pool's escrow
    InvalidEscrow = 6034,
    /// The pool does not hold what this needs
    PoolShortfall = 6035,
    /// A number does not fit
    Overflow = 6036,
    /// The instruction's data is malformed
    InvalidData = 6037,
    /// The undelegation callback is not for a batch or counter of this program
    InvalidCallback = 6038,
    /// The action was not sent by the execution layer's validator that the pool names
    NotValidator = 6039,
    /// The signer is not the governance named in the config
    NotGovernance = 6040,
    /// The signer is not the guardian named in the config
    NotGuardian = 6041,
    /// The employer or the mint is not on the whitelist; a mint whose issuer has a power over its tokens must be
    NotWhitelisted = 6042,
    /// The execution layer is declared lost
    LayerLost = 6043,
    /// The execution layer is not lost: nobody declared it, or the grace time still runs
    LayerNotLost = 6044,
    /// The calendar rule is invalid, or the first execution is not on one of its days
    InvalidCalendar = 6045,
    /// No more recipients of this schedule can be held back
    TooManyHeld = 6046,
    /// This recipient is held back already
    AlreadyHeld = 6047,
    /// This recipient is not held back
    NotHeld = 6048,
    /// Another liabilities root was recorded meanwhile
    StaleRoot = 6049,
    /// The recorded liabilities are not what the pool holds, or not what a window has paid
    LiabilitiesMismatch = 6050,
    /// The recorded withdrawals tree does not have this number with this amount and wallet
    NotCovered = 6051,
    /// This leaf of the liabilities tree has been redeemed
    AlreadyRedeemed = 6052,
    /// The vault is closed
    VaultClosed = 6053,
    /// The vault has schedules, or tokens that are reserved or in open windows
    VaultNotEmpty = 6054,
    /// The schedule is neither cancelled nor completed, or a window of it is open
    ScheduleNotEnded = 6055,
    /// The schedule is cancelled or completed
    ScheduleEnded = 6056,
    /// The schedule's id is below the vault's next one
    IdNotNew = 6057,
    /// The execution layer has lost withdrawal numbers that the base ledger knows
    LayerStateLost = 6058,
    /// The mint has an extension that is not on the list of those allowed
    UnsupportedExtension = 6059,
    /// The release time is too early or too far ahead
    InvalidReleaseTime = 6060,
    /// The withdrawal waits for its release time
    WithdrawalNotReleased = 6061,
    /// The signer is not the approver of this vault
    NotApprover = 6062,
    /// The approver must be another key than the employer's
    InvalidApprover = 6063,
    /// Nothing waits for approval here
    NothingProposed = 6064,
    /// What waits for approval is not what this names
    ProposalChanged = 6065,
    /// What waits for approval was proposed too long ago
    ProposalExpired = 6066,
    /// The amount is above the vault's limit, so its approver signs too
    ApprovalRequired = 6067,
    /// The vault has an approval policy
    ApprovalPolicyStands = 6068,
    /// The employer alone can't change the approval policy yet
    ChangeNotDue = 6069,
    /// The permission program has not set the read permission
    PermissionNotSet = 6070,
    /// The list in force is another than the one that this names
    WrongRootVersion = 6071,
    /// The first execution lies more than a day in the past
    FirstExecutionPast = 6072,
    /// More accounts than this instruction takes
    SurplusAccounts = 6073,
    /// No withdrawal can be paid to this wallet
    InvalidWallet = 6074,
    /// The withdrawal has its number and can't be cancelled
    WithdrawalReleased = 6075,
    /// The recipient's authorisation of this key has expired
    AuthorisationExpired = 6076,
    /// The proposed execution authority can't take over yet: seven days haven't passed, and the guardian has not agreed
    AuthorityNotDue = 6077,
    /// The signer is not the key that was proposed
    NotProposed = 6078,
    /// The execution authority is suspended
    Suspended = 6079,
    /// This key has suspended the execution authority within the last 37 days
    SuspendedRecently = 6080,
    /// The first number that is not covered is beyond what the base ledger and the withdrawals tree know, or too many withdrawals are
    /// in it
    InvalidCoverage = 6081,
    /// The proposed key can't take over yet: thirty days haven't passed
    ReplacementNotDue = 6084,
    /// This window's batch has come back, or thirty days beyond its timeout haven't passed
    LayerNotSilent = 6085,
    /// This key has revoked a declared loss within the last 180 days
    RevokedRecently = 6086,
    /// The fees to be prepaid are above what the employer agrees to
    FeesTooHigh = 6087,
    /// The wallet has no token account, and the amount is below the least for which the sponsor opens one
    BelowLeastOpening = 6088,
    /// The signer is neither the recovery wallet of this balance nor authorised by it
    NotRecoveryWallet = 6089,
    /// A recovery of this balance is under way
    RecoveryUnderWay = 6090,
    /// No recovery of this balance is under way
    NoRecoveryUnderWay = 6091,
    /// The recovery can't be completed yet: fourteen days haven't passed
    RecoveryNotDue = 6092,
    /// The place of the page is not this owner's
    NotOwner = 6093,
    /// Whoever is to pay for an account of the execution layer has too few lamports
    SponsorShort = 6094,
    /// The balance has an account of what its recipient asks already
    PersonalExists = 6095,
    /// The account of what a recipient asked was made or wiped less than a minute ago
    PersonalTooRecent = 6096,
    /// A withdrawal goes to a wallet, and a private transfer to a payment code
    WrongWay = 6097,
    /// Nothing can be paid to this payment code from this balance
    InvalidPaymentCode = 6098,
    /// The schedule can't have so many dates ahead
    TooManyDates = 6099,
    /// Fewer tokens arrived than were sent: the token takes a fee
    TokensMissing = 6100,
    /// The schedule has no further window to reserve, or the vault's available tokens cover none
    NothingToReserve = 6101,
    /// No such role can be given to this key
    InvalidRole = 6102,
    /// Somebody has been held back or released since this list was made
    HoldsChanged = 6103,
}

impl From<Failure> for ProgramError {
    fn from(failure: Failure) -> Self {
        ProgramError::Custom(failure as u32)
    }
}
