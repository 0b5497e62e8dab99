import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** One question to the program's rules, in the bytes that test/program/rules/src/bin/agreement.rs describes. */
export type Question = {
  readonly bytes: readonly Uint8Array[];
  /** What the client answers, in the program's bytes. */
  readonly answer: Uint8Array;
  /** An answer as text; hexadecimal when there is nothing better. */
  readonly read?: (answer: Buffer) => string;
  /** The case in words, made only for a disagreement. */
  readonly describe: () => string;
};

/** Questions that are kept after their answer: letting each go by itself would move all others. */
const MANY = 10_000;

/** The program's rules as a process: it is asked through a pipe, and its answers are compared when they come. */
export class Rules {
  readonly disagreements: string[] = [];
  readonly #child: ChildProcess & { stdin: Writable; stdout: Readable };
  readonly #ended: Promise<unknown[]>;
  readonly #asked: Question[] = [];
  #first = 0;
  #rest = Buffer.alloc(0);

  constructor(binary: string) {
    this.#child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#ended = once(this.#child, 'close');
    this.#child.stdout.on('data', (bytes: Buffer) => this.#take(bytes));
    // A process that has ended is reported by its exit code.
    this.#child.stdin.on('error', () => {});
  }

  /** Asks, and waits as long as the pipe is full. */
  async ask(questions: readonly Question[]): Promise<void> {
    this.#asked.push(...questions);
    const hasRoom = this.#child.stdin.write(Buffer.concat(questions.flatMap(({ bytes }) => bytes)));
    if (!hasRoom) await Promise.race([once(this.#child.stdin, 'drain'), this.#ended]);
    if (this.#child.exitCode !== null) throw new Error('The process of the program’s rules has ended.');
  }

  /** Waits for the answers to everything. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const [code] = await this.#ended;
    if (code !== 0 || this.#first < this.#asked.length || this.#rest.length > 0) {
      throw new Error(`The process of the program’s rules left questions open (exit code ${code}).`);
    }
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    let place = 0;
    for (;;) {
      const question = this.#asked[this.#first];
      if (question === undefined || place + question.answer.length > this.#rest.length) break;
      const answer = this.#rest.subarray(place, place + question.answer.length);
      if (!answer.equals(question.answer)) {
        const read = question.read ?? ((bytes) => bytes.toString('hex'));
        const [client, program] = [Buffer.from(question.answer), answer].map(read);
        this.disagreements.push(`${question.describe()}: the client says ${client}, the program ${program}`);
      }
      place += question.answer.length;
      this.#first += 1;
    }
    this.#rest = this.#rest.subarray(place);
    if (this.#first > MANY) {
      this.#asked.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
