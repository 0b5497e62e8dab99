/** Where a ledger answers. */
export type LedgerUrls = { readonly rpcUrl: string; readonly wsUrl: string };

/** Where an own node is reached, on both ports: it sees the same ledger, and has none of the habits of public nodes. */
export const OWN_NODE_PATH = '/own-node';
