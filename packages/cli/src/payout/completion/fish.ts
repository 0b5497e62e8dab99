import type { CompletionNode, Follows } from './tree.ts';

/** Fish completes from a list of conditions and what fits them. */
export function fishScript(name: string, places: readonly CompletionNode[]): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [path]));
  const lines = places.flatMap(({ path, commands, flags, operand }) => {
    const here = `complete -c ${name} -n 'test (__${name}_at) = "${path}"'`;
    return [
      ...commands.map((command) => `${here} -a ${command.name} -d ${quoted(command.says)}`),
      ...flags.map((flag) => `${here} -l ${flag.name.slice(2)}${taken(flag.follows)} -d ${quoted(flag.says)}`),
      ...(operand.kind === 'files' ? [`${here} -F`] : []),
      ...(operand.kind === 'values' ? [`${here} -a ${quoted(operand.values.join(' '))}`] : []),
    ];
  });
  return `# Completion of ${name} for fish. Written by: ${name} completion fish
function __${name}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case ${paths.join(' ')}
        set at "$at/$word"
    end
  end
  echo "$at"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

function taken(follows: Follows | undefined): string {
  if (follows === undefined) return '';
  const values = follows.values.length === 0 ? '' : ` -a ${quoted(follows.values.join(' '))}`;
  if (follows.kind === 'files') return ` -r -F${values}`;
  return follows.kind === 'folders' ? ` -x -a '(__fish_complete_directories)'` : ` -x${values}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
