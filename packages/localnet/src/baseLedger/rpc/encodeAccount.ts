import { type AccountState, RENT_EXEMPT_EPOCH } from '../account.ts';
import { toBase58 } from '../base58.ts';
import type { Json } from '../json.ts';
import { isObject } from '../json.ts';
import type { LocalLedger } from '../ledger.ts';
import { readMint, readTokenAccount, toTokenAmount } from '../tokens.ts';
import { toInteger } from './params.ts';
import { invalidParams } from './rpcError.ts';

/** Solana refuses base58 beyond this, because encoding it takes quadratic time; bytes. */
const MAX_BASE58_BYTES = 128;

type Encoding = 'binary' | 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed';
const ENCODINGS: readonly string[] = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'];

/** How a client wants accounts encoded. */
export interface AccountFormat {
  readonly encoding: Encoding;
  readonly dataSlice: { readonly offset: number; readonly length: number } | null;
}

/** Reads `encoding` and `dataSlice` of a call's options. */
export function accountFormat(options: Record<string, unknown>, fallback: Encoding = 'binary'): AccountFormat {
  const encoding = options.encoding ?? fallback;
  if (typeof encoding !== 'string' || !ENCODINGS.includes(encoding))
    throw invalidParams(`unknown encoding ${encoding}`);
  const slice = options.dataSlice;
  return {
    encoding: encoding as Encoding,
    dataSlice: isObject(slice)
      ? {
          offset: toInteger(slice.offset, 'dataSlice.offset'),
          length: toInteger(slice.length, 'dataSlice.length'),
        }
      : null,
  };
}

/** An account in Solana's JSON shape. `base64+zstd` is answered as base64, which clients tell by the answer's label. */
export function encodeAccount(ledger: LocalLedger, account: AccountState, format: AccountFormat): Json {
  return {
    data: encodeData(ledger, account, format),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: RENT_EXEMPT_EPOCH,
    space: account.data.length,
  };
}

function encodeData(ledger: LocalLedger, account: AccountState, { encoding, dataSlice }: AccountFormat): Json {
  if (encoding === 'jsonParsed') {
    const parsed = parseTokenData(ledger, account);
    if (parsed !== null) return parsed;
  }
  const data =
    dataSlice === null ? account.data : account.data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  if (encoding === 'binary' || encoding === 'base58') {
    if (data.length > MAX_BASE58_BYTES) {
      throw invalidParams('Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
    }
    return encoding === 'binary' ? toBase58(data) : [toBase58(data), 'base58'];
  }
  return [Buffer.from(data).toString('base64'), 'base64'];
}

/** Token accounts and mints as Solana parses them; null for everything else. */
function parseTokenData(ledger: LocalLedger, account: AccountState): Json | null {
  const program = account.owner.startsWith('Tokenz') ? 'spl-token-2022' : 'spl-token';
  const token = readTokenAccount(account);
  if (token !== null) {
    const decimals = ledger.decimalsOf(token.mint);
    const info = {
      isNative: token.isNative,
      mint: token.mint,
      owner: token.owner,
      state: token.state,
      tokenAmount: toTokenAmount(token.amount, decimals),
      delegate: token.delegate ?? undefined,
      delegatedAmount: token.delegate === null ? undefined : toTokenAmount(token.delegatedAmount, decimals),
      closeAuthority: token.closeAuthority ?? undefined,
    };
    return { parsed: { info, type: 'account' }, program, space: account.data.length };
  }
  const mint = readMint(account);
  if (mint === null) return null;
  const info = {
    decimals: mint.decimals,
    freezeAuthority: mint.freezeAuthority,
    isInitialized: mint.isInitialized,
    mintAuthority: mint.mintAuthority,
    supply: mint.supply.toString(),
  };
  return { parsed: { info, type: 'mint' }, program, space: account.data.length };
}
