import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const COMPRESSED = /\.(js|css|svg)$/;

/** Leaves files compressed once and for all beside those that compress well: the coordinator sends what a browser takes. */
const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (!COMPRESSED.test(file.fileName)) continue;
      const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
      this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: brotliCompressSync(source) });
      this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(source, { level: 9 }) });
    }
  },
});

// One page and its files, nothing from elsewhere: the coordinator's policy allows no inline script and no inline style. All files but
// the page itself have their digest in their names, so they may be kept for ever.
export default defineConfig({
  build: {
    target: 'es2022',
    // Data addresses of small files would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The client's sources, so that the page is never built from an old build of them.
  resolve: { conditions: ['@payouts/source', ...defaultClientConditions] },
  plugins: [compress()],
  // While one works on the page: npm run dev -w @payouts/dashboard, beside a coordinator at its usual port.
  server: { proxy: { '/api': process.env.API_URL ?? 'http://127.0.0.1:3000' } },
});
