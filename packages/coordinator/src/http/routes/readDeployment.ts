import { RELAYED_TRANSFERS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Static, Type } from 'typebox';
import type { FeePayer } from '../../feeRelay/feeRelay.ts';
import type { ReadGenesis } from '../../ledger/genesis.ts';
import type { ListSeal } from '../../lists/listSeal.ts';
import { listTokens } from '../../store/queries/funds.ts';
import type { Db } from '../../store/schema.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { RECIPIENT_PAGE } from '../pages.ts';
import type { Page } from '../plugins/page.ts';
import { Address as AddressText, Closed, Nullable } from '../schemaParts.ts';

const Urls = (of: string) => Type.Array(Type.String({ format: 'uri' }), { description: of });

export const DeploymentView = Closed({
  program: AddressText('The ledger program'),
  genesisHash: Nullable(Type.String({ description: "Of the base ledger's first block; null: it does not answer" })),
  rpcUrls: Urls('Where browsers may ask the base ledger, the preferred one first; none: BROWSER_RPC_URL is unset'),
  layerUrls: Urls('Where browsers may ask the execution layer; none: BROWSER_LAYER_URL is unset'),
  layerIsPrivate: Type.Boolean({ description: 'Whether the execution layer lets in only who signs in to it' }),
  listKey: Nullable(
    Closed({
      kty: Type.Literal('EC'),
      crv: Type.Literal('P-256'),
      x: Type.String(),
      y: Type.String(),
      kid: Type.String({ description: 'Thumbprint of the key (RFC 7638)' }),
    }),
    { description: 'A JWK that lists are sealed for when they are registered; null: the key service does not answer' },
  ),
  recipientPage: Nullable(
    Type.String({ description: "Path of the recipients' page; null: it is not served (RECIPIENT_PAGE)" }),
  ),
  relay: Nullable(
    Closed({
      payer: AddressText('Who pays the fee'),
      computeUnitPrice: Type.String({
        pattern: '^[0-9]+$',
        description: 'Micro-lamports a compute unit, for everybody',
      }),
      computeUnitLimit: Type.Integer({ minimum: 1, description: 'Compute units' }),
      transfers: Type.Integer({
        minimum: 1,
        description: 'Transfers that it pays for, for each payout that a wallet got',
      }),
    }),
    { description: 'What transfers from fresh wallets are paid by; null: nobody pays them (RELAY_KEY), or not now' },
  ),
  tokens: Type.Array(
    Closed({
      mint: AddressText('Of the token'),
      symbol: Nullable(Type.String({ description: 'What the token calls itself; null: nothing' })),
      decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    }),
    { description: 'Tokens of the vaults that were seen here' },
  ),
});

const EXAMPLE: Static<typeof DeploymentView> = {
  program: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
  genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  rpcUrls: ['https://rpc.example.com'],
  layerUrls: ['https://layer.example.com'],
  layerIsPrivate: true,
  listKey: {
    kty: 'EC',
    crv: 'P-256',
    x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
    y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
    kid: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
  },
  recipientPage: '/recipient/',
  relay: {
    payer: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    computeUnitPrice: '1000',
    computeUnitLimit: 60_000,
    transfers: 3,
  },
  tokens: [{ mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }],
};

const schema = {
  operationId: 'readDeployment',
  tags: ['operation'],
  summary: 'What a page or program needs to work with this deployment',
  description:
    'The ledger program, which ledger it is on, where browsers may ask both ledgers, and what lists are sealed for. Public.',
  response: {
    ...readProblems('invalid-query'),
    200: json('The deployment', DeploymentView, EXAMPLE, LIMIT_FIELDS),
  },
};

/** What the settings and the ledgers say of a deployment. */
export type DeploymentInput = {
  readonly readGenesis: ReadGenesis;
  /** Addresses that browsers may ask. */
  readonly browserRpcUrls: readonly string[];
  readonly browserLayerUrls: readonly string[];
  readonly layerIsPrivate: boolean;
};

/** GET /api/deployment */
export function readDeploymentRoute(
  app: Api,
  {
    program,
    database,
    deployment,
    listSeal,
    pages,
    feeRelay,
  }: {
    readonly program: Address;
    readonly database: Db;
    readonly deployment: DeploymentInput;
    readonly listSeal: ListSeal;
    readonly pages: readonly Pick<Page, 'at'>[];
    readonly feeRelay: FeePayer | undefined;
  },
): void {
  const { readGenesis, browserRpcUrls, browserLayerUrls, layerIsPrivate } = deployment;
  app.get('/api/deployment', { schema, config: { limit: 'read' } }, async () => {
    const [genesisHash, listKey, terms, tokens] = await Promise.all([
      readGenesis().catch(() => null),
      listSeal.publicKey().catch(() => null),
      feeRelay?.terms().catch(() => undefined),
      listTokens(database),
    ]);
    return {
      program,
      genesisHash,
      rpcUrls: [...browserRpcUrls],
      layerUrls: [...browserLayerUrls],
      layerIsPrivate,
      listKey,
      recipientPage: pages.find(({ at }) => at === RECIPIENT_PAGE)?.at ?? null,
      relay: terms
        ? { ...terms, computeUnitPrice: String(terms.computeUnitPrice), transfers: RELAYED_TRANSFERS }
        : null,
      tokens,
    };
  });
}
