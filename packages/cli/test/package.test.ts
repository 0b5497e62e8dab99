import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../', import.meta.url));

type Package = Readonly<
  Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>
> & {
  readonly bin?: Record<string, string>;
  readonly exports: Record<string, { readonly types: string; readonly default: string }>;
};
const readPackage = (name: string) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as Package;

/** A package's sources that are published. */
const sourcesOf = (name: string) =>
  readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !(name === 'cli' && /^start\./.test(file)),
  );

it.each(['client', 'payroll', 'cli'])(
  'the package %s brings all that its sources import, and names only what is built',
  (name) => {
    const { dependencies, optionalDependencies, peerDependencies, bin, exports } = readPackage(name);
    const brought = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    for (const file of sourcesOf(name)) {
      const text = readFileSync(join(packages, name, 'src', file), 'utf8');
      for (const [, specifier = ''] of text.matchAll(/\b(?:from|import) ?\(?'([\w@][\w@/.-]*)'/g)) {
        if (specifier.startsWith('node:') || builtinModules.includes(specifier)) continue;
        const [scope = '', inner = ''] = specifier.split('/');
        expect(brought, `${file}: ${specifier}`).toContain(specifier.startsWith('@') ? `${scope}/${inner}` : scope);
      }
    }
    const built = [...Object.values(bin ?? {}), ...Object.values(exports).flatMap((one) => [one.types, one.default])];
    for (const file of built) {
      const source = file.replace(/^\.\/dist\//, 'src/').replace(/(\.d)?\.[jt]s$/, '.ts');
      expect(existsSync(join(packages, name, source)), file).toBe(true);
    }
  },
);
