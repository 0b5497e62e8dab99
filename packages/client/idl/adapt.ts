import { PLACEHOLDER } from './compatible.ts';

/**
 * Adapts a rendered source file to the repository's compiler settings: relative imports carry their file's extension, and types
 * are imported as types. What stood in for empty lists is taken out again.
 */
export function adaptSource(source: string, isFolder: (path: string) => boolean): string {
  return typeImports(withoutPlaceholder(source)).replace(
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
