export * from './amount.ts';
export * from './compare.ts';
export type { Row } from './csv.ts';
export * from './line.ts';
export * from './names.ts';
export * from './problems.ts';
export * from './read.ts';
export { unsignable, type WalletThread } from './wallets.ts';
export * from './write.ts';
