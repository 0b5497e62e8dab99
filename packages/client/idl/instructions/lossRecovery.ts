import { fixedBytes, hash, shortArray, u32, u64 } from '../types.ts';
import {
  account,
  config,
  instruction,
  mint,
  pool,
  poolToken,
  R,
  S,
  SW,
  systemProgram,
  tokenProgram,
  vaultToken,
  W,
} from './parts.ts';

/** What is left when the execution layer is lost: the recorded liabilities tree divides the pool. */
export const wayOutInstructions = [
  instruction('declareLoss', 24, 'Declares the execution layer lost; governance and guardian sign.', {
    accounts: [account('governance', S), account('guardian', S), config(W)],
  }),
  instruction('revokeLoss', 25, 'Takes a declared loss back within the grace time; governance or guardian signs.', {
    accounts: [account('signer', S), config(W)],
  }),
  instruction('redeem', 26, 'Pays a balance’s leaf of the liabilities tree from the pool, once.', {
    data: [
      ['index', u32(), 'Of the leaf in the liabilities tree.'],
      ['amount', u64(), 'Base units.'],
      ['pendingNumber', u64(), 'Number of the withdrawal under way; 0: none.'],
      ['pendingAmount', u64(), 'Base units.'],
      ['blind', fixedBytes(16)],
      ['proof', shortArray(hash())],
    ],
    accounts: [
      account('recipient', S),
      account('payer', SW),
      config(),
      pool(W),
      poolToken,
      account('destinationToken', W),
      mint,
      tokenProgram,
      account('redeemed', W),
      account('page', R),
      systemProgram,
    ],
  }),
  instruction('reclaimWindow', 27, 'Returns an open window’s unpaid rest to its vault; anybody may.', {
    data: [
      ['index', u32(), 'Of the leaf in the liabilities tree.'],
      ['paid', u64(), 'Base units.'],
      ['blind', fixedBytes(16)],
      ['proof', shortArray(hash())],
    ],
    accounts: [
      config(),
      account('schedule', W),
      account('vault', W),
      vaultToken,
      pool(W),
      poolToken,
      mint,
      tokenProgram,
    ],
  }),
];
