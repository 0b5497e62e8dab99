/**
 * Writes idl/idl.json, src/generated and docs/reference/ledger-errors.md and ledger-layout.md from the program's source. With `--check` it writes to a temporary folder instead, compares,
 * and exits with 1 when the files in the repository are stale.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderVisitor } from '@codama/renderers-js';
import { createFromRoot, visit } from 'codama';
import { adaptSource } from './adapt.ts';
import { compatibleWithRenderer } from './compatible.ts';
import { renderErrorCatalogue, renderErrorReference } from './errorCatalogue.ts';
import { formatJson } from './json.ts';
import { renderLayoutReference } from './layoutReference.ts';
import { readProgram } from './program.ts';

const idl = readProgram();
const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..');
const GENERATED = join('src', 'generated');
const IDL_FILE = join('idl', 'idl.json');
const ERRORS_FILE = join('..', '..', 'docs', 'reference', 'ledger-errors.md');
const LAYOUT_FILE = join('..', '..', 'docs', 'reference', 'ledger-layout.md');
/** What is generated beside the client: the path in the repository, by the path where it is rendered. */
const FILES = { [IDL_FILE]: IDL_FILE, 'ledger-errors.md': ERRORS_FILE, 'ledger-layout.md': LAYOUT_FILE };

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Renders the IDL and the client below `folder`, in the same places as in the package. */
async function render(folder: string): Promise<void> {
  mkdirSync(join(folder, 'idl'), { recursive: true });
  const json: unknown = JSON.parse(createFromRoot(idl).getJson());
  writeFileSync(join(folder, IDL_FILE), formatJson(json));
  writeFileSync(join(folder, 'ledger-errors.md'), renderErrorReference(idl.program.errors ?? []));
  writeFileSync(join(folder, 'ledger-layout.md'), renderLayoutReference(idl));
  await visit(
    compatibleWithRenderer(idl),
    renderVisitor(folder, {
      syncPackageJson: false,
      kitImportStrategy: 'rootOnly',
      prettierOptions: { printWidth: 120, singleQuote: true, tabWidth: 2 },
    }),
  );
  const generated = join(folder, GENERATED);
  writeFileSync(join(generated, 'errorCatalogue.ts'), renderErrorCatalogue(idl.program.errors ?? []));
  for (const file of filesBelow(generated)) {
    const path = join(generated, file);
    const isFolder = (target: string) => existsSync(join(dirname(path), target, 'index.ts'));
    writeFileSync(path, adaptSource(readFileSync(path, 'utf8'), isFolder));
  }
}

/** Files that differ, are missing or are left over in the package. */
function staleFiles(rendered: string): string[] {
  const stale = compare(join(rendered, GENERATED), join(packageFolder, GENERATED)).map((file) => join(GENERATED, file));
  const others = Object.entries(FILES).filter(([from, to]) => {
    const path = join(packageFolder, to);
    return !existsSync(path) || readFileSync(join(rendered, from), 'utf8') !== readFileSync(path, 'utf8');
  });
  return [...others.map(([, to]) => to), ...stale];
}

function compare(expected: string, actual: string): string[] {
  const names = new Set([...filesBelow(expected), ...(existsSync(actual) ? filesBelow(actual) : [])]);
  const text = (folder: string, name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
  return [...names].filter((name) => text(expected, name) !== text(actual, name)).sort();
}

const temporary = mkdtempSync(join(tmpdir(), 'payouts-client-'));
try {
  await render(temporary);
  if (process.argv.includes('--check')) {
    const stale = staleFiles(temporary);
    if (stale.length > 0) {
      console.error(
        `The generated client is stale: run "npm run generate:client" and commit the result.\nStale: ${stale.join(', ')}`,
      );
      process.exitCode = 1;
    } else {
      console.log('The generated client, idl.json, the table of errors and the layouts are current.');
    }
  } else {
    rmSync(join(packageFolder, GENERATED), { recursive: true, force: true });
    cpSync(join(temporary, GENERATED), join(packageFolder, GENERATED), { recursive: true });
    for (const [from, to] of Object.entries(FILES)) cpSync(join(temporary, from), join(packageFolder, to));
    console.log(
      `Wrote ${Object.values(FILES).join(', ')} and ${filesBelow(join(packageFolder, GENERATED)).length} files in ${GENERATED}.`,
    );
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
