import type { Address } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../addresses.ts';
import type { Json } from '../json.ts';
import { isTokenProgram, readMint, readTokenAccount, type TokenAccount, toTokenAmount } from '../tokens.ts';
import { type RpcCall, type RpcMethod, viewAt, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { addressParam, optionsParam, type Params, toAddressParam } from './params.ts';
import { invalidParams } from './rpcError.ts';

/** Methods about token accounts and mints. */
export const tokenMethods: Readonly<Record<string, RpcMethod>> = {
  getTokenAccountBalance: (call, params) => {
    const view = viewAt(call, optionsParam(params, 1).commitment);
    const account = view.account(addressParam(params, 0));
    const token = account === null ? null : readTokenAccount(account);
    if (token === null) throw invalidParams('could not find account');
    return withContext(view, toTokenAmount(token.amount, call.ledger.decimalsOf(token.mint)));
  },

  getTokenSupply: (call, params) => {
    const view = viewAt(call, optionsParam(params, 1).commitment);
    const account = view.account(addressParam(params, 0));
    const mint = account === null ? null : readMint(account);
    if (mint === null) throw invalidParams('not a Token mint');
    return withContext(view, toTokenAmount(mint.supply, mint.decimals));
  },

  getTokenAccountsByOwner: (call, params) => listTokenAccounts(call, params, (token) => token.owner),

  getTokenAccountsByDelegate: (call, params) => listTokenAccounts(call, params, (token) => token.delegate),
};

/** Token accounts whose `holderOf` is the first parameter, of one mint or one token program. */
function listTokenAccounts(call: RpcCall, params: Params, holderOf: (token: TokenAccount) => Address | null): Json {
  const holder = addressParam(params, 0);
  const filter = optionsParam(params, 1);
  const options = optionsParam(params, 2);
  const format = accountFormat(options);
  const view = viewAt(call, options.commitment);
  const mint = filter.mint === undefined ? null : toAddressParam(filter.mint);
  const programs = mint === null ? [toAddressParam(filter.programId)] : [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  if (!programs.every(isTokenProgram)) throw invalidParams('unrecognized Token program id');

  const found = programs.flatMap((program) =>
    view.programAccounts(program).flatMap((account) => {
      const token = readTokenAccount(account);
      if (token === null || holderOf(token) !== holder || (mint !== null && token.mint !== mint)) return [];
      return [{ pubkey: account.address, account: encodeAccount(call.ledger, account, format) }];
    }),
  );
  return withContext(view, found);
}
