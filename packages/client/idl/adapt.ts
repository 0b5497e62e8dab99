import { PLACEHOLDER } from './compatible.ts';

/** What generated code takes from the client's own module of this name instead of from kit, which is slow at it or means something else. */
const SUPPORT = '../../generatedSupport';
const SUPPORTED = ['decodeAccount', 'getAddressEncoder', 'getProgramDerivedAddress', 'getUtf8Encoder'].concat(
  ['Address', 'Enum', 'U8', 'U16', 'U32', 'U64', 'I64'].map((type) => `get${type}Decoder`),
);

/**
 * Adapts a rendered source file to the repository's compiler settings: relative imports carry their file's extension, and types
 * are imported as types. What stood in for empty lists is taken out again.
 */
export function adaptSource(source: string, isFolder: (path: string) => boolean): string {
  return supported(typeImports(withoutPlaceholder(source))).replace(
    /(from\s+['"])(\.[^'"]*)(['"])/g,
    (_match, before: string, path: string, after: string) =>
      `${before}${isFolder(path) ? `${path.replace(/\/$/, '')}/index.ts` : `${path}.ts`}${after}`,
  );
}

function withoutPlaceholder(source: string): string {
  const assignment = new RegExp(` *if \\(!args\\.${PLACEHOLDER}\\) \\{\\s*args\\.${PLACEHOLDER} = 0;\\s*\\}\\n`, 'g');
  return source.replace(assignment, '').replace(/export type \w+InstructionExtraArgs = \{\s*\};\n\n/g, '');
}

/** The renderer imports the seeds of an address without saying that they are a type. */
function typeImports(source: string): string {
  return source.replace(/(import \{[^}]*?)(\b\w+Seeds\b)([^}]*\} from '\.\.\/pdas)/g, '$1type $2$3');
}

function supported(source: string): string {
  return source.replace(/import \{([^}]*)\} from '@solana\/kit';\n/, (statement, list: string) => {
    const names = list.split(',').map((name) => name.trim());
    const ours = names.filter((name) => SUPPORTED.includes(name));
    if (ours.length === 0) return statement;
    const kits = names.filter((name) => name !== '' && !ours.includes(name));
    return [statementOf(kits, '@solana/kit'), statementOf(ours, SUPPORT), ''].join('\n');
  });
}

/** An import as the renderer's formatter writes it. */
function statementOf(names: readonly string[], from: string): string {
  const line = `import { ${names.join(', ')} } from '${from}';`;
  return line.length <= 120 ? line : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}';`;
}
