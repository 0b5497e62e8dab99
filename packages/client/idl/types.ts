import {
  arrayTypeNode,
  bytesTypeNode,
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumTypeNode,
  fixedSizeTypeNode,
  numberTypeNode,
  postOffsetTypeNode,
  prefixedCountNode,
  publicKeyTypeNode,
  structFieldTypeNode,
  structTypeNode,
  type TypeNode,
} from 'codama';

export const u8 = () => numberTypeNode('u8');
export const u16 = () => numberTypeNode('u16');
export const u32 = () => numberTypeNode('u32');
export const u64 = () => numberTypeNode('u64');
export const i64 = () => numberTypeNode('i64');
export const address = () => publicKeyTypeNode();
export const fixedBytes = (size: number) => fixedSizeTypeNode(bytesTypeNode(), size);
export const hash = () => fixedBytes(32);

/** `type` followed by `reserved` zero bytes that no field names. */
export const withReserved = <T extends TypeNode>(type: T, reserved: number) =>
  postOffsetTypeNode(type, reserved, 'padded');

/** An array with a u16 count before its items. */
export const shortArray = <T extends TypeNode>(item: T) => arrayTypeNode(item, prefixedCountNode(u16()));

const scalarEnum = (name: string, docs: string[], variants: string[]) =>
  definedTypeNode({ name, docs, type: enumTypeNode(variants.map((variant) => enumEmptyVariantTypeNode(variant))) });

export const definedTypes = [
  scalarEnum(
    'scheduleStatus',
    ['What an employer has decided about a schedule.'],
    ['active', 'paused', 'cancelled', 'completed', 'awaiting'],
  ),
  scalarEnum('schedulePhase', ['Whether a window of the schedule is open.'], ['idle', 'open']),
  scalarEnum(
    'batchPhase',
    ['Where a batch stands: closed is the state in which it comes back.'],
    ['idle', 'open', 'closed'],
  ),
  scalarEnum('missedWindows', ['What happens to windows whose time has passed unopened.'], ['catchUp', 'skip']),
  scalarEnum(
    'calendarUnit',
    ['What a schedule’s executions are counted in.'],
    ['seconds', 'days', 'weeks', 'monthsOnDay', 'monthsLastDay', 'monthsLastBusinessDay'],
  ),
  scalarEnum('delivery', ['Where a claim puts the money.'], ['balance', 'wallet']),
  definedTypeNode({
    name: 'limits',
    docs: ['What schedules and claims of a deployment must keep to.'],
    type: structTypeNode([
      structFieldTypeNode({ name: 'maxRecipients', type: u32() }),
      structFieldTypeNode({ name: 'minInterval', type: u32(), docs: ['Seconds.'] }),
      structFieldTypeNode({ name: 'minBatchTimeout', type: u32(), docs: ['Seconds.'] }),
      structFieldTypeNode({ name: 'maxBatchTimeout', type: u32(), docs: ['Seconds.'] }),
      structFieldTypeNode({ name: 'maxClaims', type: u16() }),
    ]),
  }),
  definedTypeNode({
    name: 'liabilities',
    docs: ['What is recorded of the liabilities tree: everything that a token’s pool owes.'],
    type: structTypeNode([
      structFieldTypeNode({ name: 'sequence', type: u64(), docs: ['The one being recorded: the pool’s plus 1.'] }),
      structFieldTypeNode({ name: 'root', type: hash() }),
      structFieldTypeNode({
        name: 'total',
        type: u64(),
        docs: ['Base units; what the pool holds of what the tree knows.'],
      }),
      structFieldTypeNode({
        name: 'movedIn',
        type: u64(),
        docs: ['Base units; the pool’s when the last window was opened that the tree knows.'],
      }),
      structFieldTypeNode({
        name: 'coveredTo',
        type: u64(),
        docs: ['First withdrawal number that the tree may not know.'],
      }),
      structFieldTypeNode({ name: 'leaves', type: u32() }),
    ]),
  }),
  definedTypeNode({
    name: 'claimEntry',
    docs: ['One leaf of a claim: its index is that of the range start plus its place.'],
    type: structTypeNode([
      structFieldTypeNode({ name: 'recipient', type: address() }),
      structFieldTypeNode({ name: 'amount', type: u64() }),
      structFieldTypeNode({ name: 'delivery', type: u8(), docs: ['0: private balance, 1: wallet.'] }),
      structFieldTypeNode({ name: 'salt', type: fixedBytes(16) }),
      structFieldTypeNode({
        name: 'bump',
        type: u8(),
        docs: ['Bump of the recipient’s balance address, read only when the balance is created.'],
      }),
    ]),
  }),
];
