// The addresses of a list's private balances, by the client and by the kit.
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  addressFromBytes,
  type BalanceOwner,
  balanceSeed,
  deriveBalanceAddresses,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  SALT_BYTES,
} from '@payouts/client';
import { type Address, getProgramDerivedAddress } from '@solana/kit';
import { judged, type Measure } from '../row.ts';
import { inTurn, median } from '../statistics.ts';

const NANOSECONDS_A_MS = 1e6;
const PARTS = 9;

async function byTheKit(mint: Address, owners: readonly BalanceOwner[]): Promise<Address[]> {
  const derived: Address[] = [];
  for (const owner of owners) {
    const seeds = ['balance', balanceSeed(mint, owner)];
    const [address] = await getProgramDerivedAddress({ programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS, seeds });
    derived.push(address);
  }
  return derived;
}

/** The longest time, in milliseconds, that the event loop stood still while something went on. */
async function longestStandstill(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  // Its last sample is taken when the loop turns once more.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.disable();
  return delays.max / NANOSECONDS_A_MS;
}

export const addresses: Measure = {
  name: 'addresses',
  minutes: 0.5,
  async run(quick) {
    const recipients = quick ? 10_000 : 80_000;
    const mint = addressFromBytes(randomBytes(32));
    const owners = Array.from({ length: recipients }, () => ({
      recipient: addressFromBytes(randomBytes(32)),
      salt: new Uint8Array(randomBytes(SALT_BYTES)),
    }));
    // The kit takes half a minute for all, so both derive a few at a time.
    const few = owners.slice(0, quick ? 200 : 1_000);
    const [kit = [], ours = []] = await inTurn(
      PARTS,
      () => byTheKit(mint, few),
      () => deriveBalanceAddresses({ mint, recipients: few }),
    );
    const derived = await deriveBalanceAddresses({ mint, recipients: few });
    const expected = await byTheKit(mint, few);
    if (expected.some((address, place) => derived[place]?.address !== address)) {
      throw new Error("The addresses are not those of the kit's derivation.");
    }
    const perSecond = (took: readonly number[]) => (few.length / median(took)) * 1_000;
    return [
      judged({
        name: 'addresses of balances',
        measured: perSecond(ours),
        unit: '/s',
        limit: { value: perSecond(kit), of: "the kit's own derivation" },
        ratio: { least: 20 },
      }),
      judged({
        name: `the same of ${recipients.toLocaleString('en')}, longest standstill of the event loop`,
        measured: await longestStandstill(() => deriveBalanceAddresses({ mint, recipients: owners })),
        unit: ' ms',
        goal: { most: 50 },
      }),
    ];
  },
};
