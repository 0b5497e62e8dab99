/** What a page says of a block, in an HTML comment right above it: `<!-- block: NOTE; NOTE -->`. */
export type Note =
  /** It is not run here, for this reason; its syntax, commands and options are checked. */
  | { readonly kind: 'not run'; readonly reason: string }
  /** That file runs what it shows; its syntax, commands and options are checked. */
  | { readonly kind: 'run by'; readonly file: string }
  /** Its docker calls are checked against the files that they name, and not run; everything else is run. */
  | { readonly kind: 'docker checked'; readonly reason: string }
  /** Its last command goes on until the page's end; the block is done when it has said this. */
  | { readonly kind: 'stays until'; readonly text: string }
  /** Who sits at the terminal. */
  | { readonly kind: 'as'; readonly who: string }
  /** Numbers of the expected output differ from run to run. */
  | { readonly kind: 'numbers vary' };

/** A block of commands on a page. */
export type Block = {
  readonly language: 'sh' | 'console';
  readonly code: string;
  /** Line of the page where it begins. */
  readonly line: number;
  readonly notes: readonly Note[];
};

/** How blocks are annotated, for whoever wrote one that fails. */
export const HOW_TO_ANNOTATE = `A block is run as it stands, in order, in a copy of the clone beside real ledgers and a coordinator.
Words such as SCHEDULE or MINT are filled in by test/docs/words.ts. If it can't be run, say so in a comment right above it:
  <!-- block: not run: REASON -->             checked for syntax, commands and options alone
  <!-- block: run by test/… -->               the same; that test runs it
  <!-- block: docker checked: REASON -->      docker's words are checked, the rest is run
  <!-- block: stays until TEXT -->            its last command goes on until the page's end
  <!-- block: as recipient -->                another person's home folder (employer, recipient, auditor)
  <!-- block: numbers vary -->                a console block's numbers are not compared
Several stand in one comment, parted by semicolons.`;

const FENCE = /^( *)```(\S*)\s*$/;
const COMMENT = /^ *<!-- block: (.*) -->$/;
const RUN: readonly string[] = ['sh', 'console'];
/** Other names of a shell, under which a block would not be found. */
const REFUSED: readonly string[] = ['bash', 'shell', 'shell-session', 'zsh'];

/** All blocks of commands on a page. Throws on what it doesn't understand. */
export function blocksOf(page: string, text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] as string);
    if (fence === null) {
      if (COMMENT.test(lines[at] as string) && !FENCE.test(lines[at + 1] ?? '')) {
        throw new Error(`${page}:${at + 1}: this comment stands above no block.\n${HOW_TO_ANNOTATE}`);
      }
      continue;
    }
    const [, indent = '', language = ''] = fence;
    const end = lines.findIndex((line, place) => place > at && line.startsWith(`${indent}\`\`\``));
    if (end < 0) throw new Error(`${page}:${at + 1}: this block has no end.`);
    if (REFUSED.includes(language)) throw new Error(`${page}:${at + 1}: name its language sh or console.`);
    if (RUN.includes(language)) {
      const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
      const written = COMMENT.exec(lines[at - 1] ?? '')?.[1];
      blocks.push({
        language: language as Block['language'],
        code: code.join('\n'),
        line: at + 1,
        notes: written === undefined ? [] : written.split('; ').map((note) => noteOf(note, `${page}:${at}`)),
      });
    }
    at = end;
  }
  return blocks;
}

function noteOf(written: string, place: string): Note {
  const [, kind = '', rest = ''] =
    /^(not run|run by|docker checked|stays until|as|numbers vary):? ?(.*)$/.exec(written) ?? [];
  if (kind === 'numbers vary' && rest === '') return { kind };
  if (rest !== '') {
    if (kind === 'not run' || kind === 'docker checked') return { kind, reason: rest };
    if (kind === 'run by') return { kind, file: rest };
    if (kind === 'stays until') return { kind, text: rest };
    if (kind === 'as') return { kind, who: rest };
  }
  throw new Error(`${place}: "${written}" is no note.\n${HOW_TO_ANNOTATE}`);
}

/** The note of a kind, if the block has it. */
export function noteIn<K extends Note['kind']>(block: Block, kind: K): Extract<Note, { kind: K }> | undefined {
  return block.notes.find((note): note is Extract<Note, { kind: K }> => note.kind === kind);
}

/** A command of a console block, and what the page says that it prints. */
export type Exchange = { readonly command: string; readonly printed: string };

/** The commands of a console block. Throws if it doesn't begin with one. */
export function exchangesOf(code: string): Exchange[] {
  const parts = code.split(/^\$ /m);
  if (parts[0] !== '') throw new Error('A console block begins with "$ " and a command.');
  return parts.slice(1).map((part) => {
    // A command goes on in the next line behind a backslash.
    const [command = ''] = /^(?:.*\\\n)*.*/.exec(part) ?? [];
    return { command, printed: part.slice(command.length).trim() };
  });
}
