/** A ledger as wallets name it. */
export type Chain = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

/** Of Solana's clusters, by the hashes of their first blocks. */
const CHAINS: Readonly<Record<string, Chain>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'solana:mainnet',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'solana:devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'solana:testnet',
};

/** What wallets call a ledger, by the hash of its first block; any other is somebody's own. */
export const chainOf = (genesisHash: string): Chain => CHAINS[genesisHash] ?? 'solana:localnet';
