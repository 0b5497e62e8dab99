import type { CompletionNode, Flag, Follows } from './tree.ts';

/** Bash completes by its own means, without starting this program at each tab. */
export function bashScript(name: string, places: readonly CompletionNode[]): string {
  return `# Completion of ${name} for bash. Written by: ${name} completion bash
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${places.flatMap(({ path }) => (path === '' ? [] : [path])).join(' | ')}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${cases(places.flatMap(({ path, flags }) => flags.flatMap((flag) => flagCase(path, flag))))}
  esac
  case "$at" in
${cases(places.map((place) => [`'${place.path}'`, placeAction(place)] as const))}
  esac
}
complete -F _${name} ${name}
`;
}

/** Zsh takes the same, by the means that it has for it. */
export const zshScript = (name: string, places: readonly CompletionNode[]): string =>
  `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(name, places)}`;

function flagCase(path: string, { name, follows }: Flag): [string, string][] {
  return follows === undefined ? [] : [[`'${path} ${name}'`, `${fill(follows)}; return`]];
}

const words = (values: readonly string[]) => `COMPREPLY+=($(compgen -W '${values.join(' ')}' -- "$cur"))`;

function fill({ kind, values }: Follows): string {
  const some = values.length === 0 ? [] : [words(values)];
  if (kind === 'files') some.push('compopt -o filenames 2>/dev/null', 'COMPREPLY+=($(compgen -f -- "$cur"))');
  if (kind === 'folders') some.push('compopt -o filenames 2>/dev/null', 'COMPREPLY+=($(compgen -d -- "$cur"))');
  return some.join('; ') || ':';
}

function placeAction({ commands, flags, operand }: CompletionNode): string {
  const names = [...commands.map(({ name }) => name)];
  const options = flags.map(({ name }) => name);
  const others = [...(names.length > 0 ? [words(names)] : []), ...(fill(operand) === ':' ? [] : [fill(operand)])];
  return `if [[ $cur == -* ]]; then ${words(options)}; else ${others.join('; ') || ':'}; fi`;
}

/** Cases in lines, those with the same action together. */
function cases(all: readonly (readonly [string, string])[]): string {
  const byAction = new Map<string, string[]>();
  for (const [pattern, action] of all) byAction.set(action, [...(byAction.get(action) ?? []), pattern]);
  return [...byAction].map(([action, patterns]) => `    ${patterns.join(' | ')}) ${action} ;;`).join('\n');
}
