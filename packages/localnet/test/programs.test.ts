import { readFileSync } from 'node:fs';
import { systemTime } from '@payouts/client';
import { type Address, address, generateKeyPairSigner, getAddressDecoder } from '@solana/kit';
import { expect, test } from 'vitest';
import { PROGRAM_DATA_HEADER_BYTES, programDataAddress, startBaseLedger, UPGRADEABLE_LOADER } from '../src/index.ts';
import { foundAgain, NOOP_PATH, startWithClient, temporaryDirectory } from './support.ts';

const program = (await generateKeyPairSigner()).address;
const upgradeAuthority = (await generateKeyPairSigner()).address;
const final = (await generateKeyPairSigner()).address;
const { client } = await startWithClient({
  programs: [
    { address: program, path: NOOP_PATH, upgradeAuthority },
    { address: final, path: NOOP_PATH },
  ],
});

async function readData(of: Address) {
  const { value } = await client.rpc.getAccountInfo(of, { encoding: 'base64' }).send();
  return { account: value, data: Buffer.from(value?.data[0] ?? '', 'base64') };
}

test('a program stands under the upgradeable loader with its authority', async () => {
  const pointer = await readData(program);
  expect(pointer.account).toMatchObject({ executable: true, owner: UPGRADEABLE_LOADER });
  expect(pointer.data.readUInt32LE(0)).toBe(2);
  const dataAddress = getAddressDecoder().decode(pointer.data.subarray(4, 36));
  expect(dataAddress).toBe(await programDataAddress(program));

  const { account, data } = await readData(dataAddress);
  expect(account).toMatchObject({ executable: false, owner: UPGRADEABLE_LOADER });
  expect(data.readUInt32LE(0)).toBe(3);
  expect(data.readUInt8(12)).toBe(1);
  expect(getAddressDecoder().decode(data.subarray(13, 45))).toBe(upgradeAuthority);
  expect(data.subarray(PROGRAM_DATA_HEADER_BYTES).equals(readFileSync(NOOP_PATH))).toBe(true);
});

test('a program without an authority is final', async () => {
  const { data } = await readData(await programDataAddress(final));
  expect(data.readUInt8(12)).toBe(0);
});

test('a program runs', async () => {
  const transaction = await client.sign([{ programAddress: program, data: Uint8Array.of(1) }]);
  await client.confirm(transaction);
  const found = await foundAgain(client, transaction);
  expect(found?.meta?.logMessages).toContain(`Program ${program} success`);
});

test('a program that is missing or not compiled is named', async () => {
  const options = (path: string) => ({
    directory: temporaryDirectory(),
    time: systemTime,
    programs: [{ address: address('11111111111111111111111111111112'), path }],
  });
  await expect(startBaseLedger(options('missing.so'))).rejects.toMatchObject({ code: 'PROGRAM_UNREADABLE' });
  await expect(startBaseLedger(options('package.json'))).rejects.toMatchObject({ code: 'PROGRAM_UNREADABLE' });
});
