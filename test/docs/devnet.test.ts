import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readKey } from '@payouts/cli';
import { payoutProgram } from '@payouts/cli/payout';
import { CLUSTER_HABITS, type ClusterHabits, freePorts } from '@payouts/localnet';
import { CollateralService } from '@payouts/testing/tee/collateralService';
import { Gateway } from '@payouts/testing/tee/gateway';
import { Maker } from '@payouts/testing/tee/maker';
import { World } from '@payouts/testing/world';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyOwnClone, root } from './clone.ts';
import { type Block, blocksOf, noteIn } from './markdown.ts';
import { asking, writeClockPrograms, writeScript } from './programs.ts';
import { Shell } from './shell.ts';
import { filledIn } from './words.ts';

const PAGE = 'docs/tutorials/devnet-and-tee.md';
const HERE = 'test/docs/devnet.test.ts';
/** What devnet does, with a finality that keeps the walk short: it waits for that some forty times. */
const HABITS: ClusterHabits = { ...CLUSTER_HABITS, finalMs: 4_000 };
const MR_TD = Buffer.alloc(48, 0xab);
const RTMRS = Object.fromEntries([0, 1, 2, 3].map((each) => [`rtMr${each}`, '00'.repeat(48)]));
const MINUTE_MS = 60_000;

const text = readFileSync(join(root, PAGE), 'utf8');
const blocks = blocksOf(PAGE, text);

let world: World;
let maker: Maker;
let collateral: CollateralService;
let gateway: Gateway | undefined;
let shell: Shell;
let clone: string;
let env: Record<string, string>;

/** What the shell finds beside the machine's own programs: `payout` of the clone, answered with yes, and stand-ins for Solana's tools. */
function writePrograms(folder: string): void {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const node = `${process.execPath} --conditions=@payouts/source --import ${tsx}`;
  const program = (name: string, ...lines: readonly string[]) => writeScript(folder, name, lines);
  writeClockPrograms(folder);
  for (const tool of ['solana', 'solana-keygen', 'spl-token']) {
    program(tool, `exec ${node} ${root}test/docs/solanaTools.ts ${tool} "$@"`);
  }
  const questions = asking(payoutProgram()).map((words) => `"${words} "*`);
  program(
    'payout',
    'yes=()',
    `case "$* " in ${questions.join('|')}) yes=(--yes);; esac`,
    `exec npm run -s payout -- "$@" "\${yes[@]}"`,
  );
}

beforeAll(async () => {
  world = await World.start();
  [maker, clone] = [await Maker.found(), join(world.folder, 'clone')];
  collateral = await CollateralService.start(maker);
  copyOwnClone(clone);
  writePrograms(join(world.folder, 'bin'));
  const rootFile = join(world.folder, 'maker.pem');
  writeFileSync(
    rootFile,
    `-----BEGIN CERTIFICATE-----\n${maker.rootDer.toString('base64')}\n-----END CERTIFICATE-----\n`,
  );
  const port = await freePorts(1);
  env = {
    HOME: join(world.folder, 'home'),
    PATH: `${join(world.folder, 'bin')}:${process.env.PATH}`,
    NO_COLOR: '1',
    FREE_PORT_API: `${port}`,
    PAYOUT_API: `http://127.0.0.1:${port}`,
    STAGE_BASE: world.urls.baseRpcUrl,
    STAGE_BASE_WS: world.urls.baseWsUrl,
    STAGE_VALIDATOR: world.urls.validatorIdentity,
    STAGE_MEASUREMENTS: JSON.stringify([{ mrTd: MR_TD.toString('hex'), ...RTMRS }]),
    LAYER_QUOTE_ROOT: rootFile,
    LAYER_COLLATERAL_URL: collateral.url,
  };
  shell = new Shell(world.folder, clone, env);
  await world.localnet.admin.setHabits(HABITS);
});
afterAll(async () => {
  await shell?.close();
  await gateway?.stop();
  await collateral?.stop();
});

/** The layer's front door, once the keys are there by which it knows who may see what. */
async function openGateway(): Promise<string> {
  const key = async (name: string) => (await readKey(join(clone, '.data/devnet', `${name}.json`))).address;
  gateway ??= await Gateway.start({
    upstream: world.urls.layerRpcUrl,
    key: world.urls.validatorIdentity,
    maker,
    otherMaker: maker,
    mrTd: MR_TD,
    program: await key('program'),
    authority: await key('execution-authority'),
  });
  return gateway.url;
}

async function played(block: Block): Promise<string> {
  expect(noteIn(block, 'run by')?.file).toBe(HERE);
  const more = block === blocks[0] ? {} : { STAGE_GATEWAY: await openGateway() };
  const code = filledIn(PAGE, block.code);
  const stays = code.trim() === 'npm run coordinator';
  const ran = stays ? await shell.runUntil(code, 'ready', more) : await shell.run(code, more);
  if (ran.code !== (stays ? null : 0)) throw new Error(`${PAGE}:${block.line} ended with ${ran.code}\n${ran.printed}`);
  return ran.printed;
}

it('says what the program locks', () => {
  const bytes = readFileSync(join(root, 'program/payouts.so')).length;
  const sol = ((bytes + 45 + 128) * 6_960) / 1e9;
  expect(text).toContain(`Its ${Math.round(bytes / 1_000)} kB lock ${sol.toFixed(2)} SOL`);
});

it(
  'leads from the committed program to the first payout, behind what devnet does',
  async () => {
    const printed: string[] = [];
    for (const block of blocks) printed.push(await played(block));
    const last = printed.at(-1) ?? '';
    expect(last).toMatch(/Window 0 is settled: 2 of 2 paid/);
    expect(last).toMatch(/1,250\.50/);
  },
  25 * MINUTE_MS,
);
