// npm run architecture [-- --check]: draws docs/images/architecture.svg from the layers that `npm run lint:layers` enforces.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const layers = Object.entries(JSON.parse(readFileSync(join(root, 'packages/coordinator/layers.json'), 'utf8')));
const file = join(root, 'docs/images/architecture.svg');

const WIDTH = 760;
const ROW = 30;
const bar = ([name, does], index) => {
  const y = 16 + index * ROW;
  return `<rect x="44" y="${y}" width="${WIDTH - 60}" height="${ROW - 5}" rx="4" fill="#f3f5f7" stroke="#c5ccd3"/>
<text x="56" y="${y + 17}" font-weight="600">${name}</text>
<text x="176" y="${y + 17}" fill="#47525d">${does}</text>`;
};
const bottom = 16 + layers.length * ROW - 5;
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 16}" font-family="Inter, system-ui, sans-serif" font-size="13" fill="#15181c">
<title>The coordinator's rooms: each may use those below it</title>
<rect width="100%" height="100%" fill="#fff"/>
<path d="M24 20V${bottom - 6}m-5 -7l5 8l5 -8" fill="none" stroke="#47525d" stroke-width="1.5"/>
<text transform="translate(18 ${bottom / 2}) rotate(-90)" text-anchor="middle" fill="#47525d">may use</text>
${layers.map(bar).join('\n')}
</svg>
`;

if (!process.argv.includes('--check')) writeFileSync(file, picture);
else if (readFileSync(file, 'utf8') !== picture) {
  console.error(
    '✖ docs/images/architecture.svg is not what packages/coordinator/layers.json says: npm run architecture draws it.',
  );
  process.exitCode = 1;
}
