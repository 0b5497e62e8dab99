// Stands where docker would: checks that what it is told could be done with the files that it names, and does nothing.
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Docker's words that pages use, with their options. */
const COMPOSE: Readonly<Record<string, readonly string[]>> = {
  config: ['--quiet'],
  down: [],
  logs: ['--follow'],
  ps: [],
  run: ['--rm', '--no-deps', '--build'],
  stop: [],
  up: ['-d', '--no-deps', '--build', '--force-recreate', '--wait'],
};
const BUILD: readonly string[] = ['-f', '-t'];

function refuse(sentence: string): never {
  console.error(`✖ docker: ${sentence}`);
  process.exit(1);
}

function compose(words: readonly string[]): void {
  const [flag, file = '', verb = '', ...rest] = words;
  if (flag !== '-f' || !existsSync(file)) refuse(`there is no file ${file}`);
  const known = COMPOSE[verb] ?? refuse(`compose ${verb} is not known here`);
  const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as { services: Record<string, unknown> };
  const options = rest.filter((word) => word.startsWith('-'));
  for (const option of options) if (!known.includes(option)) refuse(`compose ${verb} ${option} is not known here`);
  const operands = rest.filter((word) => !word.startsWith('-'));
  // Behind the service, `run` takes the words of the container's command.
  for (const name of verb === 'run' ? operands.slice(0, 1) : operands) {
    if (services[name] === undefined) refuse(`${file} has no service ${name}`);
  }
}

function build(words: readonly string[]): void {
  for (const word of words)
    if (word.startsWith('-') && !BUILD.includes(word)) refuse(`build ${word} is not known here`);
  const file = words[words.indexOf('-f') + 1] ?? '';
  if (!existsSync(file)) refuse(`there is no file ${file}`);
}

const [first, ...words] = process.argv.slice(2);
if (first === 'compose') compose(words);
else if (first === 'build') build(words);
else refuse(`${first} is not known here`);
