import { getBase64Decoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { decodeEvents, getPayoutEventEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, type PayoutEvent } from '../src/index.ts';
import { randomAddress } from './support.ts';

const OURS = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const OTHER = randomAddress();
const invoke = (program: string, depth = 1) => `Program ${program} invoke [${depth}]`;
const success = (program: string) => `Program ${program} success`;
const data = (event: PayoutEvent) =>
  `Program data: ${getBase64Decoder().decode(getPayoutEventEncoder().encode(event))}`;

const opened: PayoutEvent = { __kind: 'VaultOpened', vault: randomAddress() };
const deposited: PayoutEvent = { __kind: 'Deposited', vault: randomAddress(), amount: 2n ** 64n - 1n };
const revoked: PayoutEvent = { __kind: 'LossRevoked' };

describe('decodeEvents', () => {
  it('reads the events of a transaction in order, with other programs called between them', () => {
    expect(
      decodeEvents([
        invoke(OURS),
        data(opened),
        invoke(OTHER, 2),
        'Program log: hello',
        success(OTHER),
        data(deposited),
        `Program ${OURS} consumed 12 of 200000 compute units`,
        success(OURS),
        invoke(OURS),
        data(revoked),
        success(OURS),
      ]),
    ).toEqual([opened, deposited, revoked]);
  });

  it('numbers the events as the contract does', () => {
    const root = new Uint8Array(32).fill(7);
    const encoder = getPayoutEventEncoder();
    expect(encoder.encode({ __kind: 'ConfigCreated' })).toEqual(Uint8Array.of(0));
    expect(encoder.encode({ __kind: 'StandingOrderSet' })).toEqual(Uint8Array.of(33));
    expect(encoder.encode({ __kind: 'WithdrawalRedirected', number: 1n })[0]).toBe(34);
    const liabilities = { sequence: 1n, root, total: 2n, coveredTo: 3n };
    expect(encoder.encode({ __kind: 'LiabilitiesRecorded', mint: OTHER, ...liabilities })).toHaveLength(
      1 + 32 + 8 + 32 + 8 + 8,
    );
    expect(encoder.encode({ __kind: 'LiabilitiesRecorded', mint: OTHER, ...liabilities })[0]).toBe(20);
  });

  it('passes over what other programs log, whatever it looks like', () => {
    expect(
      decodeEvents([
        data(opened),
        invoke(OTHER),
        data(opened),
        `Program log: ${invoke(OURS)}`,
        data(opened),
        `Program log: x\n${invoke(OURS)}`,
        data(opened),
        invoke(OURS, 2),
        'Program log: success',
        'Program log: failed: x',
        data(deposited),
        success(OURS),
        data(opened),
        success(OTHER),
        data(opened),
      ]),
    ).toEqual([deposited]);
  });

  it('passes over what is malformed', () => {
    const { length } = data(deposited);
    expect(
      decodeEvents([
        invoke(OURS),
        'Program data: ',
        'Program data: %%%',
        'Program data: /w==',
        data(deposited).slice(0, length - 8),
        `${data(deposited).slice(0, length - 4)}AAAAAAAA`,
        `${data(opened)} ${data(opened)}`,
        data(revoked),
      ]),
    ).toEqual([revoked]);
  });

  it('goes by the depth where a program ends without a line', () => {
    expect(
      decodeEvents([
        invoke(OURS),
        invoke(OTHER, 2),
        `Program ${OTHER} failed: custom program error: 0x1`,
        data(opened),
        invoke(OTHER, 2),
        invoke(OURS, 1),
        data(deposited),
        success(OURS),
        data(opened),
      ]),
    ).toEqual([opened, deposited]);
  });

  it('follows an overridden program', () => {
    const logs = [invoke(OTHER), data(opened), success(OTHER)];
    expect(decodeEvents(logs)).toEqual([]);
    expect(decodeEvents(logs, { programAddress: OTHER })).toEqual([opened]);
  });
});
