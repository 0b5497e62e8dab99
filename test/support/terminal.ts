import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Columns and lines of the terminal. */
export const SIZE = { columns: 80, lines: 48 } as const;
const PROMPT = '$ ';
const LOOK_MS = 150;

/** What a command left on the screen, line by line as a reader sees it, and its exit code. */
export type Shown = { readonly lines: readonly string[]; readonly code: number };
/** A moment of a recording: seconds from its beginning, and what the terminal was sent. */
export type Moment = readonly [at: number, 'o', text: string];

/** A real terminal (tmux) of 80 columns with a shell in it, typed into and read from as a person would. */
export class Terminal {
  readonly #socket: string;
  readonly #folder: string;
  readonly #begun = Date.now();
  readonly #moments: Moment[] = [];
  readonly screens: (readonly string[])[] = [];
  #read = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#socket = join(folder, 'tmux');
  }

  /** Starts a shell in `cwd` with these variables. Throws where no tmux is. */
  static async start(cwd: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
    const terminal = new Terminal(mkdtempSync(join(tmpdir(), 'payouts-terminal-')));
    const rc = join(terminal.#folder, 'rc');
    const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
    writeFileSync(
      rc,
      [...exported, `PS1='${PROMPT}'`, 'unset HISTFILE', 'bind "set enable-bracketed-paste off"', ''].join('\n'),
    );
    const size = ['-x', String(SIZE.columns), '-y', String(SIZE.lines)];
    const output = join(terminal.#folder, 'output');
    writeFileSync(output, '');
    await terminal.#tmux('new-session', '-d', ...size, '-c', cwd, `bash --noprofile --rcfile ${rc} -i`);
    await terminal.#tmux('set-option', 'history-limit', '5000');
    await terminal.#tmux('pipe-pane', '-O', `cat >> ${output}`);
    const watcher = watch(output, () => terminal.#take(output));
    terminal.#ends = () => watcher.close();
    await terminal.#until(/\$ *$/, 20_000);
    await terminal.run('clear');
    return terminal;
  }

  #ends = (): void => {};

  #tmux(...words: string[]): Promise<{ stdout: string }> {
    return run('tmux', ['-f', '/dev/null', '-S', this.#socket, ...words], {
      env: { ...process.env, TERM: 'xterm-256color' },
    });
  }

  #take(output: string): void {
    const bytes = readFileSync(output);
    const text = bytes.subarray(this.#read).toString('utf8');
    this.#read = bytes.length;
    if (text !== '') this.#moments.push([(Date.now() - this.#begun) / 1_000, 'o', text]);
  }

  /** The screen as it is, with what has scrolled away. */
  async screen(): Promise<string[]> {
    const { stdout } = await this.#tmux('capture-pane', '-p', '-S', '-');
    return stdout.trimEnd().split('\n');
  }

  async #until(awaited: RegExp, withinMs: number): Promise<string[]> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const lines = await this.screen();
      if (awaited.test(lines.join('\n'))) return lines;
      if (Date.now() > deadline) throw new Error(`waited in vain for ${awaited} in\n${lines.join('\n')}`);
      await sleep(LOOK_MS);
    }
  }

  /** Types a line and the return key. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
    await this.#tmux('send-keys', 'Enter');
  }

  /** Waits until the screen shows this. */
  shows(awaited: RegExp, withinMs = 60_000): Promise<string[]> {
    return this.#until(awaited, withinMs);
  }

  /**
   * Types a command into a cleared screen, answers its question if it asks one, and waits for the prompt. Returns what a person sees of
   * it, without the line of the command.
   */
  async run(command: string, answers: Readonly<Record<string, string>> = {}, withinMs = 120_000): Promise<Shown> {
    await this.#tmux('send-keys', '-R');
    await this.#tmux('clear-history');
    await this.type(command);
    for (const [question, answer] of Object.entries(answers)) {
      await this.#until(new RegExp(question), withinMs);
      await this.type(answer);
    }
    const lines = await this.#until(/\n\$ *$/, withinMs);
    if (process.env.ZZLOG) (await import('node:fs')).appendFileSync(process.env.ZZLOG, lines.join('\n') + '\n----\n');
    await this.type('echo "code $?"');
    const after = await this.#until(/\ncode \d+\n\$ *$/, withinMs);
    this.screens.push(lines.slice(0, -1));
    return { lines: lines.slice(0, -1), code: Number(/code (\d+)\n/.exec(after.join('\n'))?.[1]) };
  }

  /** All that was sent to the terminal so far, in time. */
  get moments(): readonly Moment[] {
    return this.#moments;
  }

  async stop(): Promise<void> {
    this.#ends();
    await this.#tmux('kill-server').catch(() => {});
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Whether tmux is here. */
export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
