import { accountFilter } from './accountFilters.ts';
import { type RpcMethod, viewAt, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { addressParam, integerParam, optionsParam, stringListParam, toAddressParam } from './params.ts';

const MAX_MULTIPLE_ACCOUNTS = 100;

/** Methods that read accounts. */
export const accountMethods: Readonly<Record<string, RpcMethod>> = {
  getBalance: (call, params) => {
    const view = viewAt(call, optionsParam(params, 1).commitment);
    return withContext(view, view.account(addressParam(params, 0))?.lamports ?? 0n);
  },

  getAccountInfo: (call, params) => {
    const options = optionsParam(params, 1);
    const view = viewAt(call, options.commitment);
    const found = view.account(addressParam(params, 0));
    return withContext(view, found === null ? null : encodeAccount(call.ledger, found, accountFormat(options)));
  },

  getMultipleAccounts: (call, params) => {
    const options = optionsParam(params, 1);
    const format = accountFormat(options, 'base64');
    const view = viewAt(call, options.commitment);
    const accounts = stringListParam(params, 0, MAX_MULTIPLE_ACCOUNTS).map((text) => {
      const found = view.account(toAddressParam(text));
      return found === null ? null : encodeAccount(call.ledger, found, format);
    });
    return withContext(view, accounts);
  },

  getProgramAccounts: (call, params) => {
    const options = optionsParam(params, 1);
    const format = accountFormat(options);
    const view = viewAt(call, options.commitment);
    const found = view
      .programAccounts(addressParam(params, 0))
      .filter(accountFilter(options.filters))
      .map((account) => ({ pubkey: account.address, account: encodeAccount(call.ledger, account, format) }));
    return options.withContext === true ? withContext(view, found) : found;
  },

  getMinimumBalanceForRentExemption: ({ ledger }, params) =>
    ledger.bank.minimumBalance(BigInt(integerParam(params, 0))),
};
