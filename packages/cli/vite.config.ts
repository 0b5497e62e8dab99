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

// The command with all that it uses, so that whoever installs it installs nothing else: scripts/pack.mjs puts a package.json beside it.
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
  plugins: [fonts()],
});
