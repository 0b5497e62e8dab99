import type { SignedSend } from '@payouts/client';
import type { Time } from '@payouts/client/browser';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { readPrivate } from '../../api/request.ts';
import { sendAsWallet } from '../../session/sendAsWallet.ts';

/** Reads by the session, which changes nothing. */
export const readBySession: SignedSend = (_, path) => readPrivate(path);

/** Reads by the session; whatever changes something outlasts it, so the wallet itself signs that. */
export const sendBy =
  (wallet: ConnectedWallet, time: Time): SignedSend =>
  (method, path, body) =>
    method === 'GET' ? readPrivate(path) : sendAsWallet(wallet, time, method, path, body);
