import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { sendToLayer, systemTime } from '@payouts/client';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { freePorts, LocalnetError, startLocalnet, VALIDATOR_IDENTITY } from '../src/index.ts';
import { isAlive, NOOP_PATH, SOL, temporaryDirectory, until } from './support.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

describe('a localnet', () => {
  test('clones accounts and programs, survives a crash of its layer and leaves nothing behind', async () => {
    const program = (await generateKeyPairSigner()).address;
    const localnet = await startLocalnet({
      directory: temporaryDirectory(),
      programs: [{ address: program, path: NOOP_PATH, upgradeAuthority: VALIDATOR_IDENTITY }],
      time: systemTime,
    });
    const base = createSolanaRpc(localnet.baseRpcUrl);
    const payer = await generateKeyPairSigner();
    const layer = createSolanaRpc(localnet.layerRpcUrl);
    expect((await layer.getIdentity().send()).identity).toBe(localnet.validatorIdentity);

    await base.requestAirdrop(payer.address, lamports(SOL)).send();
    expect((await layer.getBalance(payer.address).send()).value).toBe(SOL);
    expect((await layer.getAccountInfo(program, { encoding: 'base64' }).send()).value?.executable).toBe(true);

    const instruction = { programAddress: program, data: Uint8Array.of(1) };
    const runProgram = () => sendToLayer({ layer, time: systemTime }, [instruction], payer);
    await runProgram();

    const crashed = localnet.layerPid ?? 0;
    await localnet.killLayer('SIGKILL');
    expect(localnet.layerPid).toBeNull();
    expect(isAlive(crashed)).toBe(false);
    await localnet.restartLayer();
    await runProgram();
    await expect(localnet.restartLayer()).rejects.toMatchObject({ code: 'LAYER_RUNNING' });

    const pids = [localnet.basePid, localnet.layerPid ?? 0];
    expect(pids.every(isAlive)).toBe(true);
    await localnet.stop();
    expect(pids.some(isAlive)).toBe(false);
  });

  test('names a port that is taken', async () => {
    const basePort = await freePorts(2);
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(basePort + 1, '127.0.0.1', resolve));
    const onBase = await startLocalnet({ directory: temporaryDirectory(), basePort, time: systemTime }).catch(
      (error: unknown) => error,
    );
    expect(onBase).toBeInstanceOf(LocalnetError);
    expect(onBase).toMatchObject({ code: 'PORT_TAKEN', message: expect.stringContaining(String(basePort + 1)) });
    const onLayer = startLocalnet({ directory: temporaryDirectory(), layerPort: basePort, time: systemTime });
    await expect(onLayer).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    await new Promise((resolve) => holder.close(resolve));
  });
});

describe('localnet up', () => {
  /** Starts the command and waits until it says that both run. */
  async function up(...more: readonly string[]) {
    // Each ledger's websocket takes the next one.
    const basePort = await freePorts(5);
    const [layerPort, metricsPort] = [basePort + 2, basePort + 4];
    const ports = [basePort, layerPort, metricsPort].map(String);
    const [base = '', layer = '', metrics = ''] = ports;
    const directory = temporaryDirectory();
    const args = ['--base-port', base, '--layer-port', layer, '--metrics-port', metrics, '--dir', directory];
    const child = spawn(process.execPath, [CLI, 'up', ...args, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await until(() => output.includes('Ctrl-C'));
    expect(output).toContain(`http://127.0.0.1:${basePort}`);
    expect(output).toContain(`http://127.0.0.1:${layerPort}`);
    return { child, basePort, layerPort, directory };
  }

  const answers = (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}`, { method: 'POST' }).then(
      () => true,
      () => false,
    );

  test('ends on Ctrl-C with both ledgers', async () => {
    const { child, basePort, layerPort } = await up();
    expect(await answers(basePort)).toBe(true);
    expect(await answers(layerPort)).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await answers(basePort)).toBe(false);
    expect(await answers(layerPort)).toBe(false);
  });

  test('has a base ledger with the habits of a cluster, and an own node without those of public ones', async () => {
    const { child, basePort } = await up('--cluster', '--landing', '0.2');
    const at = (path: string) => createSolanaRpc(`http://127.0.0.1:${basePort}${path}`);
    const listed = (path: string) => at(path).getProgramAccounts(VALIDATOR_IDENTITY, { encoding: 'base64' }).send();
    await expect(listed('')).rejects.toThrow('Method not found');
    expect(await listed('/own-node')).toEqual([]);
    for (const path of ['', '/own-node']) {
      // At its very beginning the ledger has one block alone.
      const newer = async () => {
        const height = (commitment: 'confirmed' | 'finalized') => at(path).getBlockHeight({ commitment }).send();
        const [newest, final] = await Promise.all([height('confirmed'), height('finalized')]);
        return newest - final;
      };
      await expect.poll(newer).toBeGreaterThan(0n);
    }
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  test('leaves no orphans when it is killed', async () => {
    const { child, basePort, layerPort, directory } = await up();
    const isNamedByAProcess = () => spawnSync('pgrep', ['-f', directory]).status === 0;
    expect(isNamedByAProcess()).toBe(true);
    child.kill('SIGKILL');
    await until(async () => !(await answers(basePort)) && !(await answers(layerPort)));
    // The validator closes its port before it has let go of its files.
    await until(() => !isNamedByAProcess());
  });
});
