import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, root } from '../docs/clone.ts';

/** A page without what stands in blocks and between backquotes. */
const prose = (path: string) =>
  readFileSync(join(root, path), 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ''));

/** How a page's host names a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

it('every link of README and docs leads to a file, and to a heading of it', () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, link = ''] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      const isThere = existsSync(join(root, file));
      const headings = isThere && file.endsWith('.md') ? [...prose(file).matchAll(/^#+ (.*)$/gm)] : [];
      if (!isThere || (anchor !== undefined && !headings.some(([, heading = '']) => anchorOf(heading) === anchor))) {
        broken.push(`${page}: ${link}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

it('every page can be reached from README', () => {
  const seen = new Set<string>();
  const next = ['README.md'];
  for (let page = next.pop(); page !== undefined; page = next.pop()) {
    if (seen.has(page) || !existsSync(join(root, page))) continue;
    seen.add(page);
    for (const [, path = ''] of prose(page).matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g))
      next.push(join(dirname(page), path));
  }
  expect(pages.filter((page) => !seen.has(page))).toEqual([]);
});
