// npm run lint:types: no two exported types of one name in the packages' sources, so that a name has one meaning. Names the files of those
// that stand twice, and ends with 1.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', ':(glob)packages/*/src/**'],
  {
    encoding: 'utf8',
  },
);
const files = listed
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\/generated\/|^packages\/testing\//.test(file));

/** Names of the types that a file declares and exports. */
function exportedTypes(file) {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const isType = (node) =>
    ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node);
  const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return statements.filter((node) => isType(node) && isExported(node)).map((node) => node.name.text);
}

const places = new Map();
for (const file of files) for (const name of exportedTypes(file)) places.set(name, [...(places.get(name) ?? []), file]);
const twice = [...places].filter(([, where]) => where.length > 1);
for (const [name, where] of twice) {
  console.error(`${name} is exported by ${where.join(' and ')}: share one, or name each by what it is.`);
}
process.exit(twice.length === 0 ? 0 : 1);
