// What the execution layer can do at the most: single transfers and bare claims, sent by plain sockets, everything built and signed before.
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTransaction, DELEGATION_PROGRAM_ADDRESS, findDelegationAddresses, sendToBase } from '@payouts/client';
import { until, type World } from '@payouts/testing/world';
import {
  AccountRole,
  type Address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU8Encoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';
import { getAssignInstruction, getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { measureProcessors } from '../processes.ts';
import { digits } from '../row.ts';
import { BarePages, openBare, type Ready } from './bareClaims.ts';
import { somePayees } from './payees.ts';
import { sendAll, sendRequest } from './sockets.ts';

const PAIRS = 16;
const LOOK_MS = 10;
const FUNDS = 1_000_000_000n;
const MICROSECONDS = 1e6;
const LOST_AFTER_MS = 300_000;

/** A rate, and cores that client and layer used for it: the client must not be the one that is full. */
export type Limit = { readonly value: number; readonly of: string };

/** Sends requests to the layer and waits until it shows that all were executed; seconds that it took, and of processors. */
export async function execute(world: World, { requests, areDone }: Ready) {
  const used = measureProcessors({ layer: [world.localnet.layerPid as number] });
  // Without the ledgers, which are its children.
  const own = process.cpuUsage();
  const begun = performance.now();
  await sendAll(world.urls.layerRpcUrl, requests);
  while (!(await areDone())) {
    if (performance.now() - begun > LOST_AFTER_MS) throw new Error('The execution layer lost transactions.');
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - begun) / 1_000;
  const { layer } = used();
  const { user, system } = process.cpuUsage(own);
  return { seconds, layer, client: (user + system) / MICROSECONDS };
}

async function measure(
  world: World,
  { name, count, ...ready }: Ready & { name: string; count: number },
): Promise<Limit> {
  const { seconds, layer, client } = await execute(world, ready);
  const cores = `client ${digits(client / seconds)} cores, layer ${digits(layer / seconds)}`;
  return { value: count / seconds, of: `${name} (${cores})` };
}

/**
 * Delegates a wallet itself: it is assigned to the delegation program, which notes that its owner is the system program.
 * Layout of the delegation program's instruction 0: u64 0, commit frequency u32, seeds (none) u32, validator as option u8 and address.
 */
async function delegateWallet(payer: KeyPairSigner, wallet: KeyPairSigner, validator: Address): Promise<Instruction[]> {
  const { delegationRecord, delegationMetadata } = await findDelegationAddresses(wallet.address);
  const [buffer] = await getProgramDerivedAddress({
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    seeds: ['buffer', getAddressEncoder().encode(wallet.address)],
  });
  const data = getStructEncoder([
    ['selector', getU64Encoder()],
    ['commitFrequencyMs', getU32Encoder()],
    ['seeds', getU32Encoder()],
    ['some', getU8Encoder()],
    ['validator', getAddressEncoder()],
  ]).encode({ selector: 0n, commitFrequencyMs: 0xffff_ffff, seeds: 0, some: 1, validator });
  const accounts = [
    { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
    { address: wallet.address, role: AccountRole.WRITABLE_SIGNER },
    { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    { address: buffer, role: AccountRole.WRITABLE },
    { address: delegationRecord, role: AccountRole.WRITABLE },
    { address: delegationMetadata, role: AccountRole.WRITABLE },
    { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
  ];
  return [
    getAssignInstruction({ account: wallet, programAddress: DELEGATION_PROGRAM_ADDRESS }),
    { programAddress: DELEGATION_PROGRAM_ADDRESS, accounts, data },
  ];
}

/** Wallets that the layer has to itself. */
async function delegatedWallets(world: World, count: number): Promise<KeyPairSigner[]> {
  const wallets = await Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()));
  for (const wallet of wallets) {
    const funds = { source: world.admin, destination: wallet.address, amount: lamports(FUNDS) };
    const delegation = await delegateWallet(world.admin, wallet, world.localnet.validatorIdentity);
    await sendToBase(world.ledgers, [getTransferSolInstruction(funds), ...delegation], world.admin);
  }
  return wallets;
}

/** Plain transfers of lamports, one a transaction, between pairs of wallets that have nothing to do with each other. */
export async function measureTransfers(world: World, count: number): Promise<Limit> {
  const { layer } = world.ledgers;
  const wallets = await delegatedWallets(world, 2 * PAIRS);
  const [sources, sinks] = [wallets.slice(PAIRS), wallets.slice(0, PAIRS)];
  const addresses = sinks.map(({ address }) => address);
  const received = async () => {
    const { value } = await layer.getMultipleAccounts(addresses, { encoding: 'base64' }).send();
    return value.reduce((sum, account) => sum + (account?.lamports ?? 0n), 0n);
  };
  const funds = FUNDS * BigInt(PAIRS);
  await until(async () => (await received()) === funds || undefined, 'the wallets in the layer');
  const before = await received();
  const { value: lifetime } = await layer.getLatestBlockhash().send();
  const requests: Buffer[] = [];
  let total = 0n;
  for (let place = 0; place < count; place++) {
    const [source, sink] = [sources[place % PAIRS], sinks[place % PAIRS]] as [KeyPairSigner, KeyPairSigner];
    // The amounts differ, so that no two transactions are the same.
    const amount = BigInt(place + 1);
    total += amount;
    const transfer = getTransferSolInstruction({ source, destination: sink.address, amount: lamports(amount) });
    const { wire } = await buildTransaction({ feePayer: source, instructions: [transfer], lifetime });
    requests.push(sendRequest(wire));
  }
  const areDone = async () => (await received()) >= before + total;
  return measure(world, { name: 'single transfers', count, requests, areDone });
}

/** The claims of a window in the coordinator's own batches, to new balances and then to the same ones. Windows stay open. */
export async function measureClaims(world: World, recipients: number): Promise<{ new: Limit; known: Limit }> {
  const later = { firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 86_400) };
  const employer = await world.employer(somePayees(1), later);
  const payees = somePayees(recipients);
  const pages = new BarePages(world, employer.mint);
  const claim = async (id: bigint): Promise<Limit> => {
    const window = await openBare(world, employer, payees, id);
    return measure(world, { name: 'the same claims, bare', count: recipients, ...(await pages.claiming(window)) });
  };
  return { new: await claim(1n), known: await claim(2n) };
}
