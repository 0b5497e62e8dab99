import { accountFilter } from './accountFilters.ts';
import { type RpcMethod, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { addressParam, integerParam, optionsParam, stringListParam, toAddressParam } from './params.ts';

const MAX_MULTIPLE_ACCOUNTS = 100;

/** Methods that read accounts. */
export const accountMethods: Readonly<Record<string, RpcMethod>> = {
  getBalance: ({ ledger }, params) => withContext(ledger, ledger.bank.getBalance(addressParam(params, 0))),

  getAccountInfo: ({ ledger }, params) => {
    const format = accountFormat(optionsParam(params, 1));
    const account = ledger.bank.getAccount(addressParam(params, 0));
    return withContext(ledger, account === null ? null : encodeAccount(ledger, account, format));
  },

  getMultipleAccounts: ({ ledger }, params) => {
    const format = accountFormat(optionsParam(params, 1), 'base64');
    const accounts = stringListParam(params, 0, MAX_MULTIPLE_ACCOUNTS).map((text) => {
      const account = ledger.bank.getAccount(toAddressParam(text));
      return account === null ? null : encodeAccount(ledger, account, format);
    });
    return withContext(ledger, accounts);
  },

  getProgramAccounts: ({ ledger }, params) => {
    const options = optionsParam(params, 1);
    const format = accountFormat(options);
    const passes = accountFilter(options.filters);
    const found = ledger.bank
      .getProgramAccounts(addressParam(params, 0))
      .filter((account) => account.lamports > 0n && passes(account))
      .map((account) => ({ pubkey: account.address, account: encodeAccount(ledger, account, format) }));
    return options.withContext === true ? withContext(ledger, found) : found;
  },

  getMinimumBalanceForRentExemption: ({ ledger }, params) =>
    ledger.bank.minimumBalance(BigInt(integerParam(params, 0))),
};
