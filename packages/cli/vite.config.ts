import { readFileSync } from 'node:fs';
import { defaultServerConditions, defineConfig, type Plugin } from 'vite';

/** pdfkit looks for its fonts in its own package, which nobody has beside a bundle. */
const fonts = (): Plugin => ({
  name: 'fonts',
  transform(code, id) {
    if (!id.endsWith('pdfkit.node.mjs')) return undefined;
    const imports: string[] = [];
    const text = code.replace(/require\$1\('#(standard-fonts\/(\w+))'\)/g, (_, path: string, name: string) => {
      imports.push(`import font${name} from 'pdfkit/${path}';`);
      return `font${name}`;
    });
    if (imports.length === 0) this.error('pdfkit loads its fonts in another way: see packages/cli/vite.config.ts.');
    return `${imports.join('\n')}\n${text}`;
  },
});

/** What npm is told of the command: nothing to install but what a hardware wallet needs, for those who have one. */
const KEPT = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'engines',
  'bin',
  'peerDependencies',
  'peerDependenciesMeta',
];

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What makes a package of a bundle. */
const manifest = (): Plugin => ({
  name: 'manifest',
  generateBundle() {
    const whole = JSON.parse(textOf('package.json')) as Record<string, unknown>;
    const source = `${JSON.stringify(Object.fromEntries(KEPT.map((key) => [key, whole[key]])), null, 2)}\n`;
    this.emitFile({ type: 'asset', fileName: 'package.json', source });
    this.emitFile({ type: 'asset', fileName: 'LICENSE', source: textOf('../../LICENSE') });
    this.emitFile({ type: 'asset', fileName: 'README.md', source: textOf('README.md') });
  },
});

// The command with all that it uses, as a package: whoever installs it installs nothing else, and it starts four times as fast as from the files that tsc makes.
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/package',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: { 'payout/main': 'src/payout/main.ts', 'payroll/walletsWorker': 'src/payroll/walletsWorker.ts' },
      output: { entryFileNames: 'dist/[name].js', chunkFileNames: 'dist/payout/[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true, resolve: { conditions: ['@payouts/source', ...defaultServerConditions] } },
  plugins: [fonts(), manifest()],
});
