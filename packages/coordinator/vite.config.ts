import { defaultServerConditions, defineConfig } from 'vite';

/** What looks for files of its own beside its code. */
const WITH_FILES = ['@electric-sql/pglite', '@fastify/swagger-ui', 'fs-native-extensions', 'graphile-worker'];

// The service in one file, which starts in two fifths of the time that the files of tsc and of its packages take: Node looks for each of those.
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    // So deep: see src/platform/packageFolder.ts.
    outDir: 'dist/service',
    license: { fileName: 'licenses.md' },
    rolldownOptions: { input: 'src/main.ts' },
  },
  ssr: {
    noExternal: true,
    external: WITH_FILES,
    resolve: { conditions: ['@payouts/source', ...defaultServerConditions] },
  },
});
