import { accountFilter } from './accountFilters.ts';
import { type RpcMethod, viewAt, withContext } from './context.ts';
import { accountFormat, encodeAccount } from './encodeAccount.ts';
import { addressParam, integerParam, optionsParam, stringListParam, toAddressParam } from './params.ts';

const MAX_MULTIPLE_ACCOUNTS = 100;

/** Methods that read accounts. */
export const accountMethods: Readonly<Record<string, RpcMethod>> = {
  getBalance: ({ ledger }, params) => {
    const { slot, account } = viewAt(ledger, optionsParam(params, 1).commitment);
    return withContext(ledger, account(addressParam(params, 0))?.lamports ?? 0n, slot);
  },

  getAccountInfo: ({ ledger }, params) => {
    const options = optionsParam(params, 1);
    const { slot, account } = viewAt(ledger, options.commitment);
    const found = account(addressParam(params, 0));
    return withContext(ledger, found === null ? null : encodeAccount(ledger, found, accountFormat(options)), slot);
  },

  getMultipleAccounts: ({ ledger }, params) => {
    const options = optionsParam(params, 1);
    const format = accountFormat(options, 'base64');
    const { slot, account } = viewAt(ledger, options.commitment);
    const accounts = stringListParam(params, 0, MAX_MULTIPLE_ACCOUNTS).map((text) => {
      const found = account(toAddressParam(text));
      return found === null ? null : encodeAccount(ledger, found, format);
    });
    return withContext(ledger, accounts, slot);
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
