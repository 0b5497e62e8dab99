/** What a JSON-RPC answer may hold; `undefined` members are left out, as JSON.stringify does. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined };

/** Writes JSON with bigints as number literals: clients read lamports and rent epochs as exact u64 values. */
export function stringifyJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${stringifyJson(member)}`;
  }
  return `{${members}}`;
}

/** Array.isArray that also narrows read-only arrays. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a parsed value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
