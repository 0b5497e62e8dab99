import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defaultClientConditions } from 'vite';

const COMPRESSED = /\.(js|css|svg)$/;

/**
 * Leaves files compressed once and for all beside those that compress well: the coordinator sends what a browser takes. Of the files as
 * they are written, since other plugins change them until then. Fails above `most` bytes in all, compressed, and where a first visit loads
 * more than `mostAtFirst`.
 */
const compress = ({ most, mostAtFirst }) => ({
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = '.' }, bundle) {
    const sizes = new Map();
    for (const name of Object.keys(bundle).filter((file) => COMPRESSED.test(file))) {
      const source = readFileSync(join(dir, name));
      const compressed = brotliCompressSync(source);
      sizes.set(name, compressed.length);
      writeFileSync(join(dir, `${name}.br`), compressed);
      writeFileSync(join(dir, `${name}.gz`), gzipSync(source, { level: 9 }));
    }
    const bytesOf = (names) => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const atFirst = bytesOf(filesAtFirst(bundle));
    const all = bytesOf([...sizes.keys()]);
    if (all > most) throw new Error(`The page has ${all} bytes compressed; ${most} is the limit.`);
    if (atFirst > mostAtFirst) {
      throw new Error(
        `A first visit loads ${atFirst} bytes compressed; ${mostAtFirst} is the limit. Load later what it does not need.`,
      );
    }
  },
});

/** Scripts that documents load at once, and their styles. */
function filesAtFirst(bundle) {
  const scripts = new Set(Object.values(bundle).flatMap(({ isEntry, fileName }) => (isEntry ? [fileName] : [])));
  // What is added meanwhile is gone through as well.
  for (const name of scripts) for (const imported of bundle[name].imports) scripts.add(imported);
  const styles = [...scripts].flatMap((name) => [...(bundle[name].viteMetadata?.importedCss ?? [])]);
  return [...scripts, ...new Set(styles)];
}

/**
 * How a page is built: one page and its files, nothing from elsewhere; the coordinator's policy allows no inline script and no inline style.
 * All files but the page itself have their digest in their names, so they may be kept for ever. `base`: where it is served; `pages`: its
 * documents; `most` and `mostAtFirst`: bytes that it may have in all, and that a first visit may load, compressed.
 */
export const pageConfig =
  (base, { pages = ['index.html'], most = Number.POSITIVE_INFINITY, mostAtFirst = Number.POSITIVE_INFINITY } = {}) =>
  ({ command }) => {
    // Whatever whoever builds it is: a test's page is the one that people load.
    if (command === 'build') process.env.NODE_ENV = 'production';
    return {
      base,
      build: {
        target: 'es2022',
        // Data addresses of small files would need a wider policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rollupOptions: { input: [...pages] },
      },
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      // The client's sources, so that the page is never built from an old build of them.
      resolve: {
        conditions: ['@payouts/source', ...defaultClientConditions],
        // What PDFs are drawn with would load readers of font files, two thirds of its code, and of images, for documents that have neither.
        alias: { fontkit: '@payouts/statements/noFonts', 'png-js': '@payouts/statements/noImages' },
      },
      plugins: [compress({ most, mostAtFirst })],
      // While one works on the page: npm run dev -w @payouts/dashboard, beside a coordinator at its usual port.
      server: { proxy: { '/api': process.env.API_URL ?? 'http://127.0.0.1:3000' } },
    };
  };
