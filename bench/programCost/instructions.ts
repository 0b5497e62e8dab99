import { randomBytes } from 'node:crypto';
import {
  approveScheduleInstructions,
  balanceRent,
  deriveBalanceAddress,
  fetchBatch,
  fetchMaybePage,
  fetchSchedule,
  findBatchAddress,
  findPageAddress,
  findTokenAddress,
  getAcceptGovernanceInstructionAsync,
  getCancelScheduleInstruction,
  getClosePermissionInstructionAsync,
  getCloseScheduleInstructionAsync,
  getCloseVaultInstructionAsync,
  getConfirmApprovalInstructionAsync,
  getConfirmWithdrawalInstructionAsync,
  getDeclareLossInstructionAsync,
  getExecuteOrderInstructionAsync,
  getFundScheduleInstructionAsync,
  getHoldRecipientInstruction,
  getPauseScheduleInstruction,
  getReclaimWindowInstructionAsync,
  getRecordLiabilitiesInstructionAsync,
  getRedirectWithdrawalInstruction,
  getRejectScheduleInstructionAsync,
  getReleaseRecipientInstruction,
  getRequestWithdrawalInstructionAsync,
  getResumeScheduleInstruction,
  getRevokeLossInstructionAsync,
  getSetApprovalInstructionAsync,
  getSetStandingOrderInstruction,
  getSetWhitelistInstructionAsync,
  getUpdateConfigInstructionAsync,
  getUpdateGuardianInstructionAsync,
  getUpdateRecipientsInstructionAsync,
  getWithdrawApprovedInstructionAsync,
  getWithdrawInstructionAsync,
  type LiabilityBalanceLeaf,
  LiabilityTree,
  liabilityLeafHash,
  MAX_PERMISSIONS_PER_TRANSACTION,
  permissionRent,
  prepareList,
  redeemInstructions,
} from '@payouts/client';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { until } from './chain.ts';
import { LIMITS, Stage } from './stage.ts';

/** Compute units of one instruction, those of what it called included. */
export type InstructionCost = {
  readonly name: string;
  readonly ledger: 'base' | 'layer';
  readonly units: number;
};

const AMOUNT = 1_000_000n;
const GRACE_SECONDS = 86_400;
const NOBODY = '11111111111111111111111111111111' as Address;

/** Runs every instruction once on the real ledgers, in an order in which each is possible. */
export async function measureInstructions(): Promise<InstructionCost[]> {
  const costs = new Map<string, InstructionCost>();
  const stage = await Stage.set((name, ledger, units) => {
    // The dearest of several calls is the one to plan with.
    if ((costs.get(name)?.units ?? -1) < units) costs.set(name, { name, ledger, units });
  });
  try {
    await governance(stage);
    await employer(stage);
    await approval(stage);
    await payOneAndLoseTheRest(stage);
    return [...costs.values()];
  } finally {
    await stage.chain.stop();
  }
}

async function governance(stage: Stage): Promise<void> {
  const { admin, guardian, authority, employer, chain } = stage;
  const roles = { executionAuthority: authority.address, validator: chain.localnet.validatorIdentity };
  await stage.base(
    'update_config',
    await getUpdateConfigInstructionAsync({
      governance: admin,
      pendingGovernance: admin.address,
      ...roles,
      limits: LIMITS,
      flags: 0,
    }),
    admin,
  );
  await stage.base('accept_governance', await getAcceptGovernanceInstructionAsync({ pendingGovernance: admin }), admin);
  await stage.base(
    'set_whitelist',
    await getSetWhitelistInstructionAsync({ governance: admin, payer: admin, subject: employer.address, allowed: 1 }),
    admin,
  );
  await stage.base(
    'update_guardian',
    await getUpdateGuardianInstructionAsync({
      governance: admin,
      guardian,
      newGuardian: guardian.address,
      lossGrace: GRACE_SECONDS,
    }),
    admin,
  );
  await stage.base('declare_loss', await getDeclareLossInstructionAsync({ governance: admin, guardian }), admin);
  await stage.base('revoke_loss', await getRevokeLossInstructionAsync({ signer: guardian }), admin);
}

/** A schedule's life without a window, up to closing, and a vault's. */
async function employer(stage: Stage): Promise<void> {
  const { employer, mint, vault, employerToken } = stage;
  const list = prepareList([{ recipient: employer.address, amount: AMOUNT }]);
  const schedule = await stage.createSchedule({ id: 0n, list, executions: 1, batchTimeout: 60 });
  const larger = prepareList(
    await Promise.all(
      Array.from({ length: 100 }, async () => ({
        recipient: (await generateKeyPairSigner()).address,
        amount: AMOUNT,
      })),
    ),
  );
  await stage.base(
    'withdraw',
    await getWithdrawInstructionAsync({ employer, mint, destinationToken: employerToken, amount: AMOUNT }),
    employer,
  );
  await stage.base(
    'fund_schedule',
    await getFundScheduleInstructionAsync({ employer, vault, schedule, executions: 2 }),
    employer,
  );
  await stage.base(
    'update_recipients',
    await getUpdateRecipientsInstructionAsync({
      employer,
      payer: employer,
      vault,
      schedule,
      root: larger.root,
      amount: larger.total,
      recipients: larger.recipients.length,
    }),
    employer,
  );
  const at = { employer, vault, schedule };
  await stage.base('hold_recipient', getHoldRecipientInstruction({ ...at, index: 0 }), employer);
  await stage.base('release_recipient', getReleaseRecipientInstruction({ ...at, index: 0 }), employer);
  await stage.base('pause_schedule', getPauseScheduleInstruction(at), employer);
  await stage.base('resume_schedule', getResumeScheduleInstruction(at), employer);
  await stage.base('cancel_schedule', getCancelScheduleInstruction(at), employer);
  await stage.base('close_schedule', await getCloseScheduleInstructionAsync(at), employer);
}

/** A vault with an approver, until it has none any more. */
async function approval(stage: Stage): Promise<void> {
  const { chain, employer, mint, vault, employerToken } = stage;
  const approver = await chain.key();
  const policy = (limit: bigint, key = approver.address) =>
    getSetApprovalInstructionAsync({ employer, payer: employer, vault, approver: key, limit });
  await stage.base('set_approval', await policy(0n), employer);
  const list = prepareList([{ recipient: employer.address, amount: AMOUNT }]);
  const propose = async (id: bigint) => {
    const address = await stage.createSchedule({ id, list, executions: 1, batchTimeout: 60 });
    return { address, schedule: (await fetchSchedule(chain.ledgers.base, address)).data };
  };
  const refused = await propose(1n);
  await stage.base(
    'reject_schedule',
    await getRejectScheduleInstructionAsync({ signer: approver, vault, schedule: refused.address }),
    approver,
  );
  await stage.base(
    'approve_schedule',
    await approveScheduleInstructions({ approver, ...(await propose(2n)) }),
    approver,
  );
  await stage.base(
    'withdraw_approved',
    await getWithdrawApprovedInstructionAsync({
      employer,
      approver,
      mint,
      destinationToken: employerToken,
      amount: 1n,
    }),
    employer,
  );
  await stage.base('set_approval', await policy(0n, NOBODY), employer);
  await stage.base(
    'confirm_approval',
    await getConfirmApprovalInstructionAsync({
      signer: approver,
      employer: employer.address,
      vault,
      approver: NOBODY,
      limit: 0n,
    }),
    approver,
  );
}

/** Pays thirty recipients, one of whom withdraws; then the layer is lost with a window open. */
async function payOneAndLoseTheRest(stage: Stage): Promise<void> {
  const { chain, authority, employer, mint, vault, config, pool } = stage;
  const [anna, ben] = (await Promise.all([chain.key(), chain.key()])) as [KeyPairSigner, KeyPairSigner];
  const others = await Promise.all(
    Array.from({ length: MAX_PERMISSIONS_PER_TRANSACTION - 2 }, () => generateKeyPairSigner()),
  );
  const list = prepareList([anna, ben, ...others].map(({ address }) => ({ recipient: address, amount: AMOUNT })));
  const { total } = list;
  const claims = list.recipients.map((leaf) => {
    const { address, bump } = deriveBalanceAddress(mint, leaf);
    return { ...leaf, balance: address, bump };
  });
  const balanceOf = (key: KeyPairSigner) =>
    claims.find(({ recipient }) => recipient === key.address)?.balance ?? NOBODY;
  const schedule = await stage.createSchedule({ id: 3n, list, executions: 2, batchTimeout: 60 });
  const batch = await findBatchAddress(schedule);
  await stage.open(schedule, 0n, balanceRent(claims.length) + permissionRent(claims.length));
  await chain.claim({ authority, config, batch, claims, proof: [] });
  const at = { authority, config, batch };
  stage.note('set_permissions (a window)', 'layer', await chain.permit({ ...at, ofBatch: true, balances: [] }));
  const inAll = await chain.permit({ ...at, ofBatch: false, balances: claims });
  stage.note(`set_permissions (${claims.length} balances)`, 'layer', inAll);
  await stage.layer('close_permission', await getClosePermissionInstructionAsync({ authority, batch }), authority);
  await stage.commit(schedule, 0n);
  const record = (sequence: bigint, total: bigint, coveredTo: bigint, root: Uint8Array = randomBytes(32)) => ({
    sequence,
    root,
    total,
    coveredTo,
    leaves: 2,
  });
  await stage.settle(schedule, 0n, record(1n, total, 1n));

  const balance = balanceOf(anna);
  const wallet = (await generateKeyPairSigner()).address;
  await stage.layer(
    'set_standing_order',
    getSetStandingOrderInstruction({ signer: anna, balance, threshold: 1n, wallet }),
    anna,
  );
  await stage.layer('execute_order', await getExecuteOrderInstructionAsync({ authority, balance, mint }), authority);
  await stage.layer(
    'redirect_withdrawal',
    getRedirectWithdrawalInstruction({ signer: anna, balance, wallet: anna.address }),
    anna,
  );
  await stage.base(
    'record_liabilities',
    await getRecordLiabilitiesInstructionAsync({
      authority,
      mint,
      liabilities: await stage.recordOf(record(2n, total, 2n)),
    }),
    authority,
  );
  const page = await findPageAddress(mint, 1n);
  const confirm = () => getConfirmWithdrawalInstructionAsync({ authority, balance, mint, page });
  const after = Date.now();
  await until(async () => {
    try {
      await stage.layer('confirm_withdrawal (issues)', await confirm(), authority);
      return true;
    } catch {
      // The layer follows the base a moment later.
      return undefined;
    }
  }, 'the layer to see the recorded root');
  stage.note('pay_out (creates page and token account)', 'base', await chain.calledByValidator(page, after));
  await until(async () => ((await fetchMaybePage(chain.ledgers.layer, page)).exists ? true : undefined), 'the page');
  await until(async () => {
    try {
      await stage.layer('confirm_withdrawal (clears)', await confirm(), authority);
      return true;
    } catch {
      return undefined;
    }
  }, 'the layer to see the page');
  await stage.layer(
    'request_withdrawal',
    await getRequestWithdrawalInstructionAsync({
      signer: ben,
      balance: balanceOf(ben),
      mint,
      amount: 1n,
      wallet: ben.address,
    }),
    ben,
  );

  const leaf: LiabilityBalanceLeaf = {
    kind: 'balance',
    index: 0,
    recipient: ben.address,
    amount: AMOUNT - 1n,
    pendingNumber: 2n,
    pendingAmount: 1n,
    blind: randomBytes(16),
  };
  const tree = new LiabilityTree();
  tree.push(liabilityLeafHash(leaf));
  // As many leaves as a depth of 14 has: what a proof costs is its length.
  for (let index = 1; index < 10_000; index += 1) tree.push(randomBytes(32));
  const last = { sequence: 3n, root: tree.root, total: total - AMOUNT, coveredTo: 3n, leaves: tree.leafCount };
  const liabilities = await stage.recordOf(last);
  await stage.base(
    'record_liabilities',
    await getRecordLiabilitiesInstructionAsync({ authority, mint, liabilities }),
    authority,
  );
  await stage.open(schedule, 1n, 0n);
  await until(
    async () => ((await fetchBatch(chain.ledgers.layer, batch)).data.window === 1n ? true : undefined),
    'the second window',
  );

  const { admin, guardian } = stage;
  await chain.onBase(await getDeclareLossInstructionAsync({ governance: admin, guardian }), admin);
  await chain.localnet.killLayer();
  await chain.localnet.admin.advanceClock(GRACE_SECONDS + 1);
  const redeem = await redeemInstructions({ recipient: ben, mint, leaf, proof: tree.proof(0) });
  await stage.base('redeem (depth 14, creates page)', redeem, ben);
  await stage.base(
    'reclaim_window',
    await getReclaimWindowInstructionAsync({
      schedule,
      vault,
      vaultToken: stage.vaultToken,
      pool,
      mint,
      index: 0,
      paid: 0n,
      blind: new Uint8Array(16),
      proof: [],
    }),
    employer,
  );
  const other = await Stage.second(stage);
  await stage.base(
    'close_vault',
    await getCloseVaultInstructionAsync({
      employer: other,
      mint,
      destinationToken: await findTokenAddress(employer.address, mint),
    }),
    other,
  );
}
