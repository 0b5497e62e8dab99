import {
  findConfigAddress,
  findPoolAddress,
  getConfigDecoder,
  getConfigEncoder,
  getConfigSize,
  getPoolDecoder,
  getPoolEncoder,
  getPoolSize,
  getScheduleDecoder,
  getScheduleEncoder,
  getScheduleSize,
  getVaultDecoder,
  getVaultEncoder,
  getVaultSize,
  type LiabilityProof,
  liabilityLeafHash,
  liabilityProofToJson,
  MerkleTree,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  SchedulePhase,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import {
  type Address,
  address,
  createSolanaRpcFromTransport,
  type Encoder,
  type FixedSizeDecoder,
  generateKeyPairSigner,
  getBase64Decoder,
  type RpcTransport,
} from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { type EmployerSession, proofFileIn, reclaimWindow } from '../src/index.ts';

const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const NOW = 1_800_000_000n;
const GRACE = 86_400;
const BLIND = new Uint8Array(16).fill(7);

let mint: Address;
let schedule: Address;
let employer: Address;
let vault: Address;
let pool: Address;
let config: Address;

type Account = { readonly owner: Address; readonly bytes: ArrayLike<number> };
/** A base ledger with these accounts. */
function ledgerOf(accounts: ReadonlyMap<Address, Account>): EmployerSession['ledgers'] {
  const shown = (of: Address) => {
    const found = accounts.get(of);
    if (found === undefined) return null;
    const data = [getBase64Decoder().decode(Uint8Array.from(found.bytes)), 'base64'];
    return {
      data,
      executable: false,
      lamports: 1n,
      owner: found.owner,
      rentEpoch: 0n,
      space: BigInt(found.bytes.length),
    };
  };
  const transport = async ({ payload }: Parameters<RpcTransport>[0]) => {
    const { method, params } = payload as { method: string; params: [Address | Address[]] };
    const value = method === 'getAccountInfo' ? shown(params[0] as Address) : (params[0] as Address[]).map(shown);
    return { result: { context: { slot: 1n }, value } };
  };
  return { base: createSolanaRpcFromTransport(transport as RpcTransport) } as EmployerSession['ledgers'];
}

/** An account of the ledger program: all zeros but for what is said. */
function accountWith<T extends object>(
  { encoder, decoder, size }: { encoder: Encoder<T>; decoder: FixedSizeDecoder<T>; size: number },
  more: Partial<T>,
): Account {
  const bytes = encoder.encode({ ...decoder.decode(new Uint8Array(size)), ...more });
  return { owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, bytes };
}

type Scene = {
  readonly declaredAt?: bigint;
  readonly phase?: SchedulePhase;
  /** How many of the pool's windows have been recorded; that of the schedule is the third. */
  readonly recordedOpenings?: bigint;
};
const LOST = NOW - BigInt(GRACE);
const leaf = () => ({ kind: 'window' as const, index: 0, schedule, window: 4n, paid: 30_000_000n, blind: BLIND });

/** Who looks at a ledger on which window 4 of 100 USDC is open, 30 of which are recorded as paid. */
function session({ declaredAt = LOST, phase = SchedulePhase.Open, recordedOpenings = 3n }: Scene = {}) {
  const clock = new DataView(new ArrayBuffer(40));
  clock.setBigInt64(32, NOW, true);
  const token = new Uint8Array(82);
  token[44] = 6;
  const liabilitiesRoot = liabilityLeafHash(leaf());
  const of = <T extends object>(encoder: Encoder<T>, decoder: unknown, size: number) => ({
    encoder,
    decoder: decoder as FixedSizeDecoder<T>,
    size,
  });
  const ledgers = ledgerOf(
    new Map<Address, Account>([
      [CLOCK, { owner: CLOCK, bytes: new Uint8Array(clock.buffer) }],
      [mint, { owner: TOKEN_PROGRAM_ADDRESS, bytes: token }],
      [
        config,
        accountWith(of(getConfigEncoder(), getConfigDecoder(), getConfigSize()), {
          lossDeclaredAt: declaredAt,
          lossGrace: GRACE,
        }),
      ],
      [
        pool,
        accountWith(of(getPoolEncoder(), getPoolDecoder(), getPoolSize()), {
          recordedOpenings,
          liabilitiesRoot,
          liabilityLeaves: 1,
        }),
      ],
      [vault, accountWith(of(getVaultEncoder(), getVaultDecoder(), getVaultSize()), { employer })],
      [
        schedule,
        accountWith(of(getScheduleEncoder(), getScheduleDecoder(), getScheduleSize()), {
          mint,
          vault,
          phase,
          window: 4n,
          windowAmount: 100_000_000n,
          windowOpening: 3n,
        }),
      ],
    ]),
  );
  return { ledgers, timeText: (at: number) => `at ${at}` };
}

/** A proof file of an operator with the window's leaf, but for what is said of it. */
function proofFile(more: Partial<ReturnType<typeof leaf>> = {}) {
  const tree = new MerkleTree([liabilityLeafHash(leaf())]);
  const proof: LiabilityProof = {
    mint,
    sequence: 1n,
    root: tree.root,
    leaves: 1,
    leaf: { ...leaf(), ...more },
    proof: tree.proof(0),
  };
  const text = JSON.stringify({ payoutsProof: 1, balances: [], proofs: [liabilityProofToJson(proof)] });
  return proofFileIn(text, 'window.json');
}

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));
  [mint, schedule, employer, vault] = keys.map((each) => each.address) as [Address, Address, Address, Address];
  [pool, config] = await Promise.all([findPoolAddress(mint), findConfigAddress()]);
});

it('brings back what is not recorded as paid, by its proof alone', async () => {
  const { effects, plan, steps } = await reclaimWindow(session(), schedule, proofFile());
  expect(plan).toEqual({ schedule, window: 4n, paid: 30_000_000n, returned: 70_000_000n });
  expect(effects[0]).toMatch(/^Ends window 4, of which 30\.00 \S+ of 100\.00 \S+ are paid\.$/);
  expect(effects[1]).toContain(`go back to the vault ${vault} of ${employer}.`);
  expect(steps.flat(2)).toHaveLength(1);

  const without = { code: 'proof-missing' };
  await expect(reclaimWindow(session(), schedule, undefined)).rejects.toMatchObject(without);
  const wrong = [
    [{ window: 3n }, 'proof-unfit'],
    [{ schedule: vault }, 'proof-unfit'],
    [{ paid: 29_000_000n }, 'proof-old'],
    [{ index: 1 }, 'proof-old'],
  ] as const;
  for (const [more, code] of wrong) {
    await expect(reclaimWindow(session(), schedule, proofFile(more)), code).rejects.toMatchObject({ code });
  }
  expect(() => proofFileIn('{}', 'other.json')).toThrow('other.json is no proof file.');
});

it('brings all of a window back that opened after the last recording, without a proof', async () => {
  const later = session({ recordedOpenings: 2n });
  const { plan } = await reclaimWindow(later, schedule, undefined);
  expect(plan).toMatchObject({ paid: 0n, returned: 100_000_000n });
});

it('brings nothing back unless the layer is lost for good and a window is open', async () => {
  const refusal = (scene: Scene) => expect(reclaimWindow(session(scene), schedule, proofFile())).rejects;
  await refusal({ declaredAt: 0n }).toMatchObject({ code: 'layer-not-lost' });
  await refusal({ declaredAt: LOST + 1n }).toThrow(`is so from at ${Number(NOW + 1n) * 1_000} on`);
  await refusal({ phase: SchedulePhase.Idle }).toMatchObject({ code: 'window-not-open' });
});
