import { signedIn } from '@payouts/pages/session/session';
import { computed, effect, signal } from '@preact/signals';
import type { BookKey, Lock } from './bookKey.ts';
import { alone, deleteBook, loadBook, onTold, saveBook, tellTabs } from './bookStore.ts';
import { NamesError } from './namesError.ts';
import {
  type Merge,
  mergePeople,
  type NameQuestion,
  NOBODY,
  type People,
  type Person,
  takeFromFile,
} from './people.ts';
import { openSealed, readSealed, type SealedBook, seal } from './sealedBook.ts';

/** Whoever is signed in; another object for each session, so that what is slow can tell that it came too late. */
type Holder = { readonly wallet: string };

let holder: Holder | undefined;
let key: BookKey | undefined;

/** Names of this tab; they never leave it unencrypted. */
export const people = signal<People>(NOBODY);
/** Where what was read contradicts what is known: somebody has to decide. */
export const questions = signal<readonly NameQuestion[]>([]);
/** What opens the book that this browser keeps for the session's wallet; undefined if there is none. */
export const keptBehind = signal<Lock | undefined>(undefined);
export const isOpen = signal(false);
/** Why the book can't be used. */
export const bookTrouble = signal<unknown>(undefined);

/** Whether somebody has to open the book before names can be read or changed. */
export const isClosed = computed(() => keptBehind.value !== undefined && !isOpen.value);

const personAt = (address: string): Person | undefined => people.value.get(address);
/** What the employer calls a recipient, and under which label; undefined if that is not known in this tab. */
export const nameOf = (address: string): string | undefined => personAt(address)?.name || undefined;
export const labelOf = (address: string): string | undefined => personAt(address)?.label || undefined;
export const noteOf = (address: string): string | undefined => personAt(address)?.note || undefined;

/** Closes the book whenever a session ends, and looks for that of the next. Once for the page. */
export function watchBook(): void {
  effect(() => follow(signedIn.value?.wallet));
  onTold(({ kind, wallet }) => {
    if (wallet !== holder?.wallet) return;
    if (kind === 'closed') close();
    else void readAgain(holder).catch(show);
  });
}

function follow(wallet: string | undefined): void {
  if (wallet === holder?.wallet) return;
  // Whoever signs out means every tab: the next one may look at any of them.
  if (holder !== undefined) tellTabs({ kind: 'closed', wallet: holder.wallet });
  close();
  keptBehind.value = undefined;
  holder = wallet === undefined ? undefined : { wallet };
  if (holder !== undefined) void lookUp(holder).catch(show);
}

/** Forgets the names and the key; what is kept stays kept. */
function close(): void {
  key = undefined;
  isOpen.value = false;
  people.value = NOBODY;
  questions.value = [];
  bookTrouble.value = undefined;
}

const show = (error: unknown): void => {
  bookTrouble.value = error;
};

async function lookUp(mine: Holder): Promise<void> {
  const bytes = await loadBook(mine.wallet);
  const lock = bytes === undefined ? undefined : (await readSealed(bytes)).lock;
  if (holder === mine) keptBehind.value = lock;
}

/** What another tab has done to the book. */
async function readAgain(mine: Holder): Promise<void> {
  if (key === undefined) return lookUp(mine);
  const mineKey = key;
  const newest = await kept(mine);
  if (newest !== undefined) return showOpen(mine, mineKey, await openSealed(newest, mineKey));
  if (holder === mine) forgetKept();
}

async function kept({ wallet }: Holder): Promise<SealedBook | undefined> {
  const bytes = await loadBook(wallet);
  return bytes === undefined ? undefined : await readSealed(bytes);
}

function showOpen(mine: Holder, with_: BookKey, found: People): void {
  if (holder !== mine) return;
  key = with_;
  keptBehind.value = with_.lock;
  people.value = found;
  isOpen.value = true;
}

function forgetKept(): void {
  close();
  keptBehind.value = undefined;
}

/** Opens the book that this browser keeps. Throws `NamesError`. */
export async function openBook(with_: BookKey): Promise<void> {
  const mine = present();
  const found = await kept(mine);
  if (found === undefined) throw notKept();
  showOpen(mine, with_, await openSealed(found, with_));
}

/** Keeps the names of this tab in this browser from now on. Throws `NamesError` if another tab did so meanwhile. */
export async function keepBook(with_: BookKey): Promise<void> {
  const mine = present();
  await alone(mine.wallet, async () => {
    if ((await loadBook(mine.wallet)) !== undefined) {
      await lookUp(mine);
      throw new NamesError('NAMES_NOT_KEPT', 'Another tab has begun to keep names. Open those first.');
    }
    const now = people.value;
    await saveBook(mine.wallet, (await seal(now, with_)).bytes);
    showOpen(mine, with_, now);
  });
  // Browsers clear what they may when they need room; not this, if they agree.
  void navigator.storage.persist();
  tellTabs({ kind: 'changed', wallet: mine.wallet });
}

/** Removes the names from this browser, in every tab. */
export async function removeBook(): Promise<void> {
  const mine = present();
  await alone(mine.wallet, () => deleteBook(mine.wallet));
  if (holder === mine) forgetKept();
  tellTabs({ kind: 'changed', wallet: mine.wallet });
}

type Change = (people: People) => People | Promise<People>;

/** Changes names, starting from what any tab has kept last; kept at once where names are kept. Throws `NamesError`. */
export async function changePeople(change: Change): Promise<void> {
  const mine = present();
  await alone(mine.wallet, () => (key === undefined ? changeInTab(mine, change) : changeKept(mine, key, change)));
}

async function changeInTab(mine: Holder, change: Change): Promise<void> {
  if (isClosed.value) throw new NamesError('NAMES_NOT_KEPT', 'Open the names that this browser keeps first.');
  const changed = await change(people.value);
  if (holder === mine) people.value = changed;
}

async function changeKept(mine: Holder, with_: BookKey, change: Change): Promise<void> {
  const newest = await kept(mine);
  if (newest === undefined) throw notKept();
  const changed = await change(await openSealed(newest, with_));
  await saveBook(mine.wallet, (await seal(changed, with_)).bytes);
  showOpen(mine, with_, changed);
  tellTabs({ kind: 'changed', wallet: mine.wallet });
}

/** Forgets names of this tab that are kept nowhere. */
export const forgetPeople = (): void => {
  if (!isOpen.value) people.value = NOBODY;
};

/** Takes names that were read from a file: what is new at once; what contradicts is asked about in `questions`. */
export async function takePeople(read: readonly (readonly [string, Partial<Person>])[]): Promise<Merge> {
  const mine = present();
  let merge: Merge | undefined;
  await changePeople(async (now) => {
    merge = await mergePeople(now, read);
    return merge.people;
  });
  if (merge === undefined) throw new Error('Names were changed without a look at them.');
  if (holder === mine) questions.value = merge.questions;
  return merge;
}

/** Ends the questions: for those in `taken` the file is right, for the others what was known. */
export async function answerQuestions(taken: readonly NameQuestion[]): Promise<void> {
  if (taken.length > 0) await changePeople((now) => takeFromFile(now, taken));
  questions.value = [];
}

/** The names of this tab as a file behind a key. */
export const bookFile = async (with_: BookKey): Promise<Uint8Array<ArrayBuffer>> =>
  (await seal(people.value, with_)).bytes;

function present(): Holder {
  if (holder === undefined) throw new NamesError('NAMES_NOT_KEPT', 'Sign in first: names are kept for a wallet.');
  return holder;
}

const notKept = (): NamesError =>
  new NamesError('NAMES_NOT_KEPT', 'This browser keeps no names for this wallet any more. Open a file of names.');
