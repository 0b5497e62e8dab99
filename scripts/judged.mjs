// Looks up in what axe has judged, in the browser tests, everything of the pages that has a title: views, sections, dialogs, notices, empty
// states, actions and what is said once they are done. What no test shows to axe is named with its file and line. Run at the end of
// `npm run test:e2e`; by itself: node scripts/judged.mjs FOLDER, which PAYOUTS_TEST_RECORD of the tests has named.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { fail } from './setup.mjs';

const PAGES = ['dashboard', 'recipient-page', 'pages'];
const HEADINGS = ['h1', 'h2', 'h3', 'legend'];
/** What of these a page shows as a title. */
const TITLED = { Dialog: ['title'], Notice: ['title'], Empty: ['title'], CarryOut: ['done'], PromiseList: ['done'] };
/** Stands for what a text does not say itself. */
const ANY = '\0';

const flat = (text) => text.replaceAll(/\s+/g, ' ');
/** Texts one after the other, where each part is one of several. */
const joined = (parts) =>
  parts.reduce((all, each) => all.flatMap((before) => each.map((text) => `${before}${text}`)), ['']);

/** Constants of a file by their names: a title may be one of a table. */
function constantsOf(source) {
  const found = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined)
      found.set(node.name.getText(), node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** All that an expression can say: it chooses one of several texts, or one of a constant's. */
function textsOf(node, constants) {
  const of = (each) => textsOf(each, constants);
  if (node === undefined) return [ANY];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isJsxText(node)) return [flat(node.text)];
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) return of(node.expression);
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return of(node.expression);
  if (ts.isConditionalExpression(node)) return [...of(node.whenTrue), ...of(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    return [[node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(ANY)];
  }
  if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) return of(node.expression);
  if (ts.isObjectLiteralExpression(node)) return node.properties.flatMap(({ initializer }) => of(initializer));
  if (ts.isIdentifier(node) && constants.has(node.text)) return of(constants.get(node.text));
  return [ANY];
}

const headingTexts = ({ children }, constants) => joined(children.map((each) => textsOf(each, constants)));

/** Something that a dialog asks about: its name, beside what plans it. */
function actionTexts(node, constants) {
  const [name, plan] = ['name', 'plan'].map((key) => node.properties.find((each) => each.name?.getText() === key));
  return name?.initializer === undefined || plan === undefined ? [] : textsOf(name.initializer, constants);
}

/** The titles that a node gives, unless it shows what it is told: that has its own place. */
function titlesOf(node, constants) {
  const titles = possibleTitlesOf(node, constants);
  return titles.every((title) => /\p{L}/u.test(title)) ? titles : [];
}

function possibleTitlesOf(node, constants) {
  if (ts.isJsxElement(node) && HEADINGS.includes(node.openingElement.tagName.getText())) {
    return headingTexts(node, constants);
  }
  if (ts.isJsxAttribute(node)) {
    const attributes = TITLED[node.parent.parent.tagName.getText()] ?? [];
    return attributes.includes(node.name.getText()) ? textsOf(node.initializer, constants) : [];
  }
  return ts.isObjectLiteralExpression(node) ? actionTexts(node, constants) : [];
}

/** Every title that a file of a page has, with its line. */
function readFile(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const found = [];
  const visit = (node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    for (const title of titlesOf(node, constants)) found.push({ title: flat(title).trim(), at: `${file}:${line + 1}` });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function everyTitle() {
  return PAGES.flatMap((page) => {
    const sources = join('packages', page, 'src');
    const files = readdirSync(sources, { recursive: true }).filter((name) => name.endsWith('.tsx'));
    return files.flatMap((name) => readFile(join(sources, name)));
  });
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const patternOf = (title) => new RegExp(`^${title.split(ANY).map(escaped).join('.*')}$`);

const [folder] = process.argv.slice(2);
const judged = folder === undefined ? '' : join(folder, 'judged');
if (!existsSync(judged)) fail('Name the folder of a run in which axe judged a page.');
const seen = readdirSync(judged).flatMap((name) => readFileSync(join(judged, name), 'utf8').split('\n'));
const titles = everyTitle();
const unseen = titles.filter(({ title }) => !seen.some((each) => patternOf(title).test(each)));
for (const { title, at } of unseen) console.error(`✖ ${at}: no test shows axe “${title.replaceAll(ANY, '…')}”`);
console.log(`${titles.length} titles of the pages, ${unseen.length} that axe has not judged`);
process.exit(unseen.length === 0 ? 0 : 1);
