import { asked } from './attacks/asked.ts';
import { paymentCodes } from './attacks/codes.ts';
import { exit } from './attacks/exit.ts';
import { joined } from './attacks/joined.ts';
import { keysWritten } from './attacks/keysWritten.ts';
import { layer } from './attacks/layer.ts';
import { leaves } from './attacks/leaves.ts';
import { liabilities } from './attacks/liabilities.ts';
import { lines, linesWritten } from './attacks/lines.ts';
import { linkage } from './attacks/linkage.ts';
import { lookups } from './attacks/lookups.ts';
import { named } from './attacks/named.ts';
import { parts, wholeSalaries } from './attacks/owners.ts';
import { pages } from './attacks/pages.ts';
import { personal } from './attacks/personal.ts';
import { plainText } from './attacks/plainText.ts';
import { publicAnswers } from './attacks/publicAnswers.ts';
import { recorded } from './attacks/recorded.ts';
import { shown } from './attacks/shown.ts';
import { sizes } from './attacks/sizes.ts';
import { stored } from './attacks/stored.ts';
import { tags } from './attacks/tags.ts';
import { timing } from './attacks/timing.ts';
import { trees } from './attacks/trees.ts';
import type { Attack } from './claim.ts';

/** An attack by name. `isPublic`: it looks at nothing but what everybody has. */
export type NamedAttack = { readonly name: string; readonly act: Attack; readonly isPublic?: true };

/** Upon what the service lets out, in an order in which each can use what those before it claim. */
export const ATTACKS: readonly NamedAttack[] = [
  { name: 'leaves', act: leaves, isPublic: true },
  { name: 'liabilities tree', act: liabilities, isPublic: true },
  { name: 'personal accounts', act: personal },
  { name: 'page addresses', act: pages },
  { name: 'what the layer shows', act: layer },
  { name: 'who is named in the layer', act: named },
  { name: 'what the layer is asked to show', act: asked, isPublic: true },
  { name: 'whole trees', act: trees },
  { name: 'who is asked for', act: lookups },
  { name: 'linkage', act: linkage },
  { name: 'timing', act: timing, isPublic: true },
  { name: 'sizes', act: sizes },
  { name: 'exit amounts', act: exit, isPublic: true },
  { name: 'payment codes', act: paymentCodes },
  { name: 'plain text', act: plainText },
  { name: 'public answers', act: publicAnswers, isPublic: true },
];

/** Those of adversaries who have more than that, or less; and what is public anyway. */
export const ADVERSARIES_ATTACKS: readonly NamedAttack[] = [
  ...ATTACKS,
  { name: 'what is shown', act: shown, isPublic: true },
  { name: 'whole salaries', act: wholeSalaries },
  { name: 'round parts', act: parts },
  { name: 'lines', act: lines },
  { name: 'lines written', act: linesWritten },
  { name: 'rows alike', act: tags },
  { name: 'keys written', act: keysWritten },
  { name: 'what is stored', act: stored },
  { name: 'recorded connections', act: recorded },
  { name: 'put together', act: joined },
];
