import type { Fault } from './nemesis.ts';

export type Planted = { readonly about: string; readonly faults?: readonly Fault[] };
export const PLANTED: Record<string, Planted> = {};
export type PlantedName = string;
export async function plant(_: Planted | undefined): Promise<undefined | ((folder: string) => Promise<string>)> {
  return undefined;
}
