import { type TObjectOptions, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';

// What the schemas of the routes are made of.

/** An object with these fields and no others. */
export const Closed = <const P extends TProperties>(properties: P, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
export const Nullable = <T extends TSchema>(schema: T, options?: TSchemaOptions) =>
  Type.Union([schema, Type.Null()], options);
export const OneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Enum([...values], { type: 'string', description });
export const Count = (description: string) => Type.Integer({ minimum: 0, description });
/** A moment, whichever clock says it: every time of the API has this form. `of` says what of, or when. */
export const Millis = (of?: string) => {
  const description = of === undefined ? 'Unix milliseconds' : `Unix milliseconds: ${of}`;
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
};
/** A number of 64 bits, such as an amount in base units or a window's. */
export const Decimal = (description: string) => Type.String({ pattern: '^[0-9]{1,20}$', description });
/** 32 bytes, hexadecimal. */
export const Hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description });
/** Of a ledger's transaction, base 58. */
export const Signature = (description: string) =>
  Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$', description });
/** Name of the format of addresses, which the server checks to the byte. */
export const ADDRESS_FORMAT = 'base58-address';
export const Address = (description: string, ...examples: readonly string[]) =>
  Type.String({ format: ADDRESS_FORMAT, description, ...(examples.length > 0 && { examples }) });
/** Whoever signs, or a recipient by their address, in a path. */
export const MeOrAddress = (description: string) =>
  Type.Union([Type.Literal('me'), Type.String({ format: ADDRESS_FORMAT })], { description, examples: ['me'] });
/** Names the page that follows the one that is answered. */
export const NextCursor = (description = 'Asks for the page that follows; null: there is none') =>
  Nullable(Type.String({ description }));

/** Where a page begins, as the page before has said it. */
export const PageCursor = (pattern: string, example: string | null) =>
  Type.Optional(Type.String({ pattern, description: 'nextCursor of the page before', examples: [example] }));
export const PageLimit = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(100|[1-9][0-9]?)$', description, examples: ['20'] }));
