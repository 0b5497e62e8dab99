import type { Address } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../addresses.ts';
import type { Json } from '../json.ts';
import { isTokenProgram, readMint, readTokenAccount, type TokenAccount, toTokenAmount } from '../tokens.ts';
import { type RpcContext, type RpcMethod, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { addressParam, optionsParam, type Params, toAddressParam } from './params.ts';
import { invalidParams } from './rpcError.ts';

/** Methods about token accounts and mints. */
export const tokenMethods: Readonly<Record<string, RpcMethod>> = {
  getTokenAccountBalance: ({ ledger }, params) => {
    const account = ledger.bank.getAccount(addressParam(params, 0));
    const token = account === null ? null : readTokenAccount(account);
    if (token === null) throw invalidParams('could not find account');
    return withContext(ledger, toTokenAmount(token.amount, ledger.decimalsOf(token.mint)));
  },

  getTokenSupply: ({ ledger }, params) => {
    const account = ledger.bank.getAccount(addressParam(params, 0));
    const mint = account === null ? null : readMint(account);
    if (mint === null) throw invalidParams('not a Token mint');
    return withContext(ledger, toTokenAmount(mint.supply, mint.decimals));
  },

  getTokenAccountsByOwner: (context, params) => listTokenAccounts(context, params, (token) => token.owner),

  getTokenAccountsByDelegate: (context, params) => listTokenAccounts(context, params, (token) => token.delegate),
};

/** Token accounts whose `holderOf` is the first parameter, of one mint or one token program. */
function listTokenAccounts(
  { ledger }: RpcContext,
  params: Params,
  holderOf: (token: TokenAccount) => Address | null,
): Json {
  const holder = addressParam(params, 0);
  const filter = optionsParam(params, 1);
  const format = accountFormat(optionsParam(params, 2));
  const mint = filter.mint === undefined ? null : toAddressParam(filter.mint);
  const programs = mint === null ? [toAddressParam(filter.programId)] : [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  if (!programs.every(isTokenProgram)) throw invalidParams('unrecognized Token program id');

  const found = programs.flatMap((program) =>
    ledger.bank.getProgramAccounts(program).flatMap((account) => {
      const token = readTokenAccount(account);
      if (token === null || holderOf(token) !== holder || (mint !== null && token.mint !== mint)) return [];
      return [{ pubkey: account.address, account: encodeAccount(ledger, account, format) }];
    }),
  );
  return withContext(ledger, found);
}
