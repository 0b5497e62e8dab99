// The rules of the house, which `npm run lint` checks and docs/internals/architecture.md draws.

/** The coordinator's rooms from top to bottom, and what each does: a room may import from those below it. */
const LAYERS = Object.keys(require('./packages/coordinator/layers.json'));
const COORDINATOR = '^packages/coordinator/src';
const roomsOf = (layers) => `${COORDINATOR}/(${layers.join('|')})(/|\\.ts$)`;

const upward = LAYERS.slice(1).map((layer, index) => ({
  name: `layers: ${layer}`,
  comment: `What is above ${layer} may use it, and never the other way round.`,
  severity: 'error',
  from: { path: roomsOf([layer]) },
  to: { path: roomsOf(LAYERS.slice(0, index + 1)) },
}));

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'no cycles',
      comment: 'Files that need each other are one file, or one of them wants something that belongs below both.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'packages by their exports',
      comment: 'Another package is used by what its package.json exports, and so by its name.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|test|bench|scripts)/', pathNot: '/saltsOff/' },
      to: { path: '^packages/[^/]+/src/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: "nothing of Node's",
      comment: 'A page in a browser works with these packages, too.',
      severity: 'error',
      from: { path: '^packages/(payroll|bank-files)/src/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'the engine by its public interface',
      comment: "What the engine's library does not export may change with any version of it.",
      severity: 'error',
      from: {},
      to: {
        path: 'node_modules/(graphile-worker|@graphile|graphile-config)/.*',
        pathNot: 'graphile-worker/dist/index\\.(d\\.ts|js)$',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@payouts/source', 'import', 'node', 'default'],
    },
    exclude: { path: '^(?!node_modules/).*/(dist|generated)/' },
  },
};
