import { type ErrorNode, pascalCase } from 'codama';

/** Source of the catalogue by code. The renderer's own messages are left out of production builds, where they are needed. */
export function renderErrorCatalogue(errors: readonly ErrorNode[]): string {
  const rows = errors.map(
    ({ code, name, message }) => `  ${code}: { name: '${pascalCase(name)}', message: ${JSON.stringify(message)} },`,
  );
  return [
    '/** Generated from the IDL: name and sentence of each custom error of the ledger program, by code. */',
    'export const ERROR_CATALOGUE = {',
    ...rows,
    '} as const;',
    '',
  ].join('\n');
}

/** Content of docs/reference/ledger-errors.md. */
export function renderErrorReference(errors: readonly ErrorNode[]): string {
  const rows = errors.map(({ code, name, message }) => `| ${code} | \`${pascalCase(name)}\` | ${message} |`);
  return [
    '# Errors of the ledger program',
    '',
    'Custom errors of a transaction, from `program/src/errors.rs` by `npm run generate:client`.',
    '',
    '| code | name | |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
