import { execFile } from 'node:child_process';
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
  readonly #begun = Date.now();
  readonly #moments: Moment[] = [];
  #read = 0;

  private constructor(private readonly folder: string) {
    this.#socket = join(folder, 'tmux');
  }

  /** Starts a shell in `cwd` with these variables. Throws where no tmux is. */
  static async start(cwd: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
    const terminal = new Terminal(mkdtempSync(join(tmpdir(), 'payouts-terminal-')));
    const rc = join(terminal.folder, 'rc');
    const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
    writeFileSync(
      rc,
      [
        ...exported,
        `PS1='${PROMPT}'`,
        `PROMPT_COMMAND='echo $? > ${terminal.#codeFile}'`,
        'unset HISTFILE',
        'bind "set enable-bracketed-paste off"',
        '',
      ].join('\n'),
    );
    const size = ['-x', String(SIZE.columns), '-y', String(SIZE.lines)];
    const output = join(terminal.folder, 'output');
    writeFileSync(output, '');
    await terminal.#tmux('new-session', '-d', ...size, '-c', cwd, `bash --noprofile --rcfile ${rc} -i`);
    await terminal.#tmux('set-option', 'history-limit', '5000');
    await terminal.#tmux('pipe-pane', '-O', `cat >> ${output}`);
    const watcher = watch(output, () => terminal.#take(output));
    terminal.#ends = () => watcher.close();
    await terminal.#until(/\$ *$/, 20_000);
    return terminal;
  }

  #ends = (): void => {};

  get #codeFile(): string {
    return join(this.folder, 'code');
  }

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

  /** The lines that were written and are on the screen or scrolled away; one that the terminal's edge has broken is one. */
  async screen(): Promise<string[]> {
    const { stdout } = await this.#tmux('capture-pane', '-p', '-J', '-S', '-');
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
  }

  /** The shell clears the screen and shows its prompt anew; what was there goes to the history, which is forgotten. */
  async #clear(withinMs: number): Promise<void> {
    await this.#tmux('send-keys', 'C-l');
    const deadline = Date.now() + withinMs;
    do {
      await sleep(LOOK_MS);
      await this.#tmux('clear-history');
      if (Date.now() > deadline) throw new Error('the shell does not clear its screen');
    } while (!/^\$ *$/.test((await this.screen()).join('\n')));
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

  /**
   * Types a command into a cleared screen, answers its question if it asks one, and waits for the prompt. Returns what a person sees of
   * it, the line of the command first.
   */
  async run(command: string, answers: Readonly<Record<string, string>> = {}, withinMs = 120_000): Promise<Shown> {
    await this.#clear(withinMs);
    await this.type(command);
    try {
      for (const [question, answer] of Object.entries(answers)) {
        const shown = (await this.#until(new RegExp(`${question}|\\n\\$ *$`), withinMs)).join('\n');
        if (!new RegExp(question).test(shown)) throw new Error(`nobody asked ${question}, but:\n${shown}`);
        await this.type(answer);
      }
      await this.#until(/\n\$ *$/, withinMs);
    } catch (error) {
      // The next command is to find a prompt.
      await this.#tmux('send-keys', 'C-c');
      throw error;
    }
    const lines = await this.screen();
    return { lines: lines.slice(0, -1), code: Number(readFileSync(this.#codeFile, 'utf8')) };
  }

  /** All that was sent to the terminal so far, in time. */
  get moments(): readonly Moment[] {
    return this.#moments;
  }

  async stop(): Promise<void> {
    this.#ends();
    await this.#tmux('kill-server').catch(() => {});
    rmSync(this.folder, { recursive: true, force: true });
  }
}
