import { WrongUsage } from '../failure.ts';

/** Purpose and coin of every key of Solana's: BIP 44. */
const SOLANA = "44'/501'";
const KEY = /^(\d{1,10})'?(?:\/(\d{1,10})'?)?$/;
const FULL = /^m(?:\/\d{1,10}'?)+$/;
const HARDENED = 2 ** 31;

/**
 * The path of a key that is named as Solana's command line does: `?key=ACCOUNT` or `?key=ACCOUNT/CHANGE` behind 44'/501', or for
 * `prompt://` the whole of it in `?full-path=`. Every part of it is hardened. Throws `WrongUsage`.
 */
export function derivationOf(named: string): string {
  const query = new URLSearchParams(named.includes('?') ? named.slice(named.indexOf('?') + 1) : '');
  const [key, full] = [query.get('key'), query.get('full-path')];
  const others = [...query.keys()].filter((name) => name !== 'key' && name !== 'full-path');
  if (others.length > 0 || (key !== null && full !== null)) throw wrongPath();
  if (full !== null) {
    if (!FULL.test(full)) throw wrongPath();
    return inRange(full.slice(2).split('/'));
  }
  if (key === null) return SOLANA;
  const parts = KEY.exec(key);
  if (parts === null) throw wrongPath();
  return inRange([...SOLANA.split('/'), ...parts.slice(1).filter((part) => part !== undefined)]);
}

function inRange(parts: readonly string[]): string {
  const numbers = parts.map((part) => Number.parseInt(part, 10));
  if (numbers.some((number) => number >= HARDENED)) throw wrongPath();
  return numbers.map((number) => `${number}'`).join('/');
}

const wrongPath = (): WrongUsage =>
  new WrongUsage(
    '--keypair takes ?key=ACCOUNT or ?key=ACCOUNT/CHANGE behind prompt:// or usb://ledger, such as ?key=0/0.',
  );
