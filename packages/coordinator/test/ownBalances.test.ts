import { randomBytes } from 'node:crypto';
import {
  addressFromBytes,
  findPoolAddress,
  getPoolEncoder,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PayoutDelivery,
  type PersonalArgs,
  personalNamed,
  type Recipient,
  systemTime,
} from '@payouts/client';
import { BLANK_POOL } from '@payouts/testing/blankAccounts';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageOfPlace, slotOfPlace } from '../src/domain/places.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { RecipientIndex } from '../src/lists/recipientIndex.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import { useApi } from './support/api.ts';
import { balancesOver } from './support/balances.ts';
import { FakeBalances } from './support/fakeBalances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { useLedger } from './support/ledgerStub.ts';
import { silentLog } from './support/log.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { type Promised, promise, randomAddress, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const payloadKeys = localPayloadKeys(randomBytes(32));
const DUE = 1_900_000_000n;

describe("a recipient's own balances", () => {
  const store = useStore();
  const ledger = useLedger();
  const service = useApi(store, { ledger, payloadKeys });
  let index: RecipientIndex;
  beforeAll(() => {
    const { signal } = new AbortController();
    index = new RecipientIndex({ database: store.query, payloadKeys, time: systemTime, log: silentLog, signal });
  });

  /** A registered list with a recipient in it, and a layer that has paid nobody. */
  async function registered(...deliveries: readonly PayoutDelivery[]) {
    const recipient = await generateKeyPairSigner();
    const own = deliveries.map((delivery) => ({ recipient: recipient.address, amount: 5n, delivery }));
    const promised = promise(ledger, randomAddress(), [...somePayees(4), ...own]);
    await service.register(promised);
    index.prepare();
    await index.idle();
    const layer = new FakeBalances(promised.mint, PAYOUT_LEDGER_PROGRAM_ADDRESS);
    const entries = promised.list.recipients.filter((each) => each.recipient === recipient.address);
    return { recipient, promised, layer, entries };
  }
  type Registered = Awaited<ReturnType<typeof registered>>;

  const rowOf = async ({ schedulePda, list }: Promised) =>
    (await findList(store.query, schedulePda, Buffer.from(list.root).toString('hex'))) as ListRow;
  const processOf = ({ layer }: Pick<Registered, 'layer'>) =>
    balancesOver({ database: store.query, payloadKeys, layer: layerShowing(() => layer.accounts()) });

  /** Gives the list its places, and pays these in the layer; returns their places. */
  async function pay({ promised, layer }: Registered, paid: readonly Recipient[]): Promise<number[]> {
    const balances = processOf({ layer });
    const row = await rowOf(promised);
    const payees = await new PayableLists({ database: store.query, payloadKeys }).read(row);
    await balances.place(row, payees, promised);
    for (const { number, nonce } of (await balances.of(promised.mint, payees)).values()) layer.makePage(number, nonce);
    const places = paid.map(({ index }) => payees.places?.[index] as number);
    for (const [at, each] of paid.entries()) {
      const owner = addressFromBytes(ownerRecord(each).owner);
      layer.add({ owner, place: places[at] as number }, 1_000n);
    }
    show(layer);
    return places;
  }

  /** What somebody asks of a balance. */
  async function ask(
    { promised, layer }: Registered,
    entry: Recipient,
    fields: Partial<PersonalArgs>,
    number = 1,
  ): Promise<Address> {
    const { owner } = ownerRecord(entry);
    const address = layer.note(addressFromBytes(owner), number);
    const own = { mint: promised.mint, owner, recipient: entry.recipient, ...fields };
    ledger.put(address, personalAccount(own, { address }).data);
    show(layer);
    return address;
  }

  /** Has the layer show its pages as they are now. */
  function show(layer: FakeBalances): void {
    for (const { address, data } of layer.accounts()) if (layer.isPage(address)) ledger.put(address, data);
  }

  const read = async (signer: KeyPairSigner) => {
    const { status, body } = await service.get('/api/recipients/me/balances', signer);
    expect(status, JSON.stringify(body)).toBe(200);
    return (body as { balances: Record<string, unknown>[] }).balances;
  };

  it('are shown as nowhere before the first window, and to nobody who stands in no list', async () => {
    const { recipient, promised, entries } = await registered('balance');
    const [entry] = entries as [Recipient];
    expect(await read(recipient)).toEqual([
      {
        address: addressFromBytes(ownerRecord(entry).owner),
        mint: promised.mint,
        symbol: null,
        decimals: 0,
        place: null,
        salt: Buffer.from(entry.salt).toString('hex'),
        delivery: 'balance',
        personal: null,
        personalNumber: 0,
        personalKey: null,
        amount: '0',
        withdrawals: [],
        transfers: [],
        standing: [],
        order: null,
        recovery: null,
        schedules: [promised.schedulePda],
      },
    ]);
    expect(await read(await generateKeyPairSigner())).toEqual([]);
  });

  it('are shown with where they are, and all that is under way', async () => {
    const own = await registered('balance');
    const { recipient, promised, layer, entries } = own;
    const [entry] = entries as [Recipient];
    const [place] = (await pay(own, entries)) as [number];
    const wallets = Array.from({ length: 4 }, randomAddress) as [Address, Address, Address, Address];
    const recoverer = randomAddress();
    const personal = await ask(
      own,
      entry,
      {
        waiting: 30n,
        withdrawals: [
          underWay({ id: 1, number: 9n, amount: 10n, wallet: wallets[0] }),
          underWay({ id: 2, number: 3n, amount: 11n, wallet: wallets[1] }),
          underWay({ amount: 0n }),
          underWay({ id: 4, amount: 30n, wallet: wallets[2], dueAt: DUE }),
          underWay({ id: 5, number: 4n, amount: 13n, wallet: wallets[3], dueAt: DUE }),
          underWay({ id: 6, amount: 2_000n, wallet: wallets[1], inRound: 2 }),
        ],
        orderThreshold: 500n,
        orderWallet: wallets[0],
        orderPart: 100n,
        orderDelayMin: 1,
        orderDelayMax: 60,
        recoveryWallet: recoverer,
      },
      513,
    );
    const pool = getPoolEncoder().encode({ ...BLANK_POOL, mint: promised.mint, coveredTo: 9n });
    ledger.put(await findPoolAddress(promised.mint), Uint8Array.from(pool));
    const [shown] = await read(recipient);
    const pages = await processOf({ layer }).pages.of(promised.mint, [pageOfPlace(place)]);
    expect(shown).toMatchObject({
      place: { page: pages.get(pageOfPlace(place))?.address, slot: slotOfPlace(place) },
      personal,
      personalNumber: 513,
      amount: '970',
      withdrawals: [
        { id: 1, number: '9', amount: '10', wallet: wallets[0], state: 'requested', releaseAt: null },
        { id: 2, number: '3', amount: '11', wallet: wallets[1], state: 'recorded', releaseAt: null },
        { id: 4, number: null, amount: '30', wallet: wallets[2], state: 'waiting', releaseAt: Number(DUE) * 1_000 },
        { id: 5, number: '4', amount: '13', wallet: wallets[3], state: 'issued', releaseAt: null },
      ],
      standing: [{ id: 6, amount: '2000', wallet: wallets[1] }],
      order: { threshold: '500', wallet: wallets[0], part: '100', delayMinutes: { least: 1, most: 60 } },
      recovery: { wallet: recoverer, change: null, completesAt: null },
    });
    // What the recipient derives addresses from is that by which the account was found.
    const key = new Uint8Array(Buffer.from(String(shown?.personalKey), 'hex'));
    expect(personalNamed(promised.mint, key, 513).address).toBe(personal);
  });

  it('are shown without an account that was wiped, and with the number that it had', async () => {
    const own = await registered('balance');
    const { recipient, layer, entries } = own;
    const [entry] = entries as [Recipient];
    await pay(own, entries);
    layer.note(addressFromBytes(ownerRecord(entry).owner), 4, false);
    show(layer);
    expect(await read(recipient)).toMatchObject([{ personal: null, personalNumber: 4, withdrawals: [] }]);
    // Noted, and gone when it is looked for: it was wiped between the two readings.
    layer.note(addressFromBytes(ownerRecord(entry).owner), 5);
    show(layer);
    expect(await read(recipient)).toMatchObject([{ personal: null, personalNumber: 5, withdrawals: [] }]);
  });

  it('are two for whoever is paid to a balance and to their wallet, each with an account of its own', async () => {
    const own = await registered('balance', 'wallet');
    const { recipient, entries } = own;
    await pay(own, entries);
    const personal = new Map<string, Address>();
    for (const entry of entries) personal.set(entry.delivery, await ask(own, entry, {}));
    const shown = await read(recipient);
    expect(shown.map(({ delivery }) => delivery).sort()).toEqual(['balance', 'wallet']);
    for (const each of shown) expect(each.personal).toBe(personal.get(each.delivery as string));
    expect(new Set(shown.map(({ address }) => address)).size).toBe(2);
    expect(new Set(shown.map(({ place }) => JSON.stringify(place))).size).toBe(2);
  });

  it('show nothing of a place that another owner has', async () => {
    const own = await registered('balance');
    const { recipient, layer, entries } = own;
    const [place] = (await pay(own, [])).concat() as [number | undefined];
    expect(place).toBeUndefined();
    const row = await rowOf(own.promised);
    const payees = await new PayableLists({ database: store.query, payloadKeys }).read(row);
    const taken = payees.places?.[(entries[0] as Recipient).index] as number;
    layer.add({ owner: randomAddress(), place: taken }, 77n);
    show(layer);
    expect(await read(recipient)).toMatchObject([{ place: null, amount: '0' }]);
  });

  it('are found in the pages when the database was lost, though no window has opened since', async () => {
    const own = await registered('balance');
    const { recipient, promised, layer, entries } = own;
    await pay(own, entries);
    const [before] = await read(recipient);
    expect(before).toMatchObject({ amount: '1000' });
    // Lists lose their places, and the layer's owners are taken over.
    await store.query.deleteFrom('liability_trees').where('mint', '=', promised.mint).execute();
    await processOf({ layer }).adopt(promised.mint);
    expect((await rowOf(promised)).places).toBeNull();
    expect(await read(recipient)).toEqual([before]);
  });

  it('are never shown as less than nothing, when a withdrawal is released between two readings', async () => {
    const own = await registered('balance');
    const { recipient, entries } = own;
    await pay(own, entries);
    await ask(own, entries[0] as Recipient, {
      waiting: 1_001n,
      withdrawals: [underWay({ amount: 1_001n, dueAt: DUE })],
    });
    expect(await read(recipient)).toMatchObject([{ amount: '0' }]);
  });

  it('are put in no log', async () => {
    const shown = service.logged();
    for (const text of ['1000', '970']) expect(shown).not.toContain(`"${text}"`);
    const { rows } = await store.database.pool.query('select count(*) from balance_pages');
    expect(Number((rows as { count: string }[])[0]?.count)).toBeGreaterThan(0);
    expect(shown).not.toContain('"owner"');
  });
});
