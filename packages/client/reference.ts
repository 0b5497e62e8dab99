/**
 * Writes docs/reference/client.md from the docstrings of everything that the client exports by hand; with `--check` it only compares. What
 * is generated from the IDL is named by its kinds alone: docs/internals/ledger-program.md has its contents.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const index = fileURLToPath(new URL('src/index.ts', import.meta.url));
const page = fileURLToPath(new URL('../../docs/reference/client.md', import.meta.url));

const HEAD = `# The client package

What \`@payouts/client\` exports for programs of your own: made from its docstrings by \`npm run reference -w @payouts/client\`. Amounts are base units (\`bigint\`), times of the HTTP API unix
milliseconds, of the ledger unix seconds (\`millisOf\`). Three programs to begin with: [create a payroll](../../examples/create-payroll.ts), [withdraw](../../examples/withdraw.ts),
[check payslips](../../examples/check-payslips.ts).

Also exported, and generated from the program's IDL: for every account \`fetch…\`, \`fetchMaybe…\`, \`get…Decoder\`, \`find…Pda\`; for every instruction \`get…Instruction\` and
\`get…InstructionAsync\`, which finds addresses itself; every error of the program and its sentence. What they mean: [the ledger program](../internals/ledger-program.md).
`;

const program = ts.createProgram([index], {
  target: ts.ScriptTarget.ES2023,
  // What is documented is the sources, whether or not they are built.
  customConditions: ['@payouts/source'],
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
});
const checker = program.getTypeChecker();
const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.WriteArrowStyleSignature;

/** A text in one line, safe in a list. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Its docstring, with what it throws. */
function documentation(symbol: ts.Symbol): string {
  const said = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text }) => {
    const words = ts.displayPartsToString(text);
    return name === 'param'
      ? `\`${words.replace(/^(\S+) /, '$1`: ')}`
      : `${name === 'throws' ? 'Throws' : name} ${words}`;
  });
  return oneLine([said, ...tags].join(' '));
}

/** How it is written in a program. */
function signature(symbol: ts.Symbol, declaration: ts.Declaration): string {
  const { name } = symbol;
  if (ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) return `type ${name}`;
  if (ts.isClassDeclaration(declaration)) return `class ${name}`;
  const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
  const [call] = type.getCallSignatures();
  if (call === undefined) return `const ${name}: ${checker.typeToString(type, declaration, FORMAT)}`;
  const parameters = call.parameters.map((parameter) => {
    const at = parameter.valueDeclaration ?? declaration;
    const optional = ts.isParameter(at) && (at.questionToken || at.initializer) ? '?' : '';
    const written = ts.isParameter(at) && at.type ? at.type.getText() : undefined;
    return `${parameter.name.startsWith('__') ? 'input' : parameter.name}${optional}: ${oneLine(written ?? checker.typeToString(checker.getTypeOfSymbolAtLocation(parameter, at), at, FORMAT))}`;
  });
  // As it is written: a type of the kit's, spelled out, is as long as a page.
  const returned =
    call.getDeclaration()?.type?.getText() ?? checker.typeToString(call.getReturnType(), declaration, FORMAT);
  return `${name}(${parameters.join(', ')}): ${oneLine(returned)}`;
}

/** Methods and fields of a class that anybody may use. */
function members(declaration: ts.Declaration): string[] {
  if (!ts.isClassDeclaration(declaration)) return [];
  return declaration.members.flatMap((member) => {
    const symbol = member.name && checker.getSymbolAtLocation(member.name);
    if (!symbol || ts.isPrivateIdentifier(member.name as ts.Node) || symbol.name === 'name') return [];
    const said = documentation(symbol);
    return said === '' ? [] : [`  - \`${signature(symbol, member)}\`: ${said}`];
  });
}

function contents(): string {
  const source = program.getSourceFile(index);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${index} exports nothing.`);
  const groups = new Map<string, string[]>();
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const [declaration] = symbol.declarations ?? [];
    if (declaration === undefined) continue;
    const { fileName, isDeclarationFile } = declaration.getSourceFile();
    if (isDeclarationFile || fileName.includes('/generated/')) continue;
    const file = basename(fileName, '.ts');
    const said = documentation(symbol);
    const line = `- \`${signature(symbol, declaration)}\`${said === '' ? '' : `: ${said}`}`;
    groups.set(file, [...(groups.get(file) ?? []), [line, ...members(declaration)].join('\n')]);
  }
  const sections = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
  return [HEAD, ...sections.map(([file, lines]) => `## ${file}\n\n${lines.join('\n')}\n`)].join('\n');
}

const text = contents();
if (!process.argv.includes('--check')) writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) {
  console.error(
    'docs/reference/client.md is not what the docstrings say: npm run reference -w @payouts/client writes it.',
  );
  process.exitCode = 1;
}
