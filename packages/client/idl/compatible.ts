import {
  type InstructionNode,
  instructionArgumentNode,
  isNode,
  type Node,
  numberTypeNode,
  numberValueNode,
  type RootNode,
} from 'codama';

/** Name of the argument that stands in for an empty list; the adapter removes what the renderer makes of it. */
export const PLACEHOLDER = 'placeholder';

/**
 * The IDL as renderers-js 2.0 needs it. Codama 1.10 leaves empty lists out of its nodes, where that renderer reads them:
 * the seeds of an address without variable ones become an empty list again, and an instruction without extra arguments gets
 * one that never reaches its input.
 */
export function compatibleWithRenderer(root: RootNode): RootNode {
  return restore(root) as RootNode;
}

function restore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restore);
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, restore(child)]),
  ) as unknown as Node;
  if (isNode(node, 'pdaValueNode')) return { ...node, seeds: node.seeds ?? [] };
  if (isNode(node, 'instructionNode')) return withExtraArguments(node);
  return node;
}

function withExtraArguments(node: InstructionNode): InstructionNode {
  if (node.extraArguments !== undefined) return node;
  const placeholder = instructionArgumentNode({
    name: PLACEHOLDER,
    type: numberTypeNode('u8'),
    defaultValue: numberValueNode(0),
    defaultValueStrategy: 'omitted',
  });
  return { ...node, extraArguments: [placeholder] };
}
