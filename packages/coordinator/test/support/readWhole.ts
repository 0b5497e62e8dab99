import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { Tables } from '../../src/store/schema.ts';

type Plan = { readonly 'Node Type': string; readonly 'Relation Name'?: string; readonly Plans?: readonly Plan[] };

function* nodesOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const inner of plan.Plans ?? []) yield* nodesOf(inner);
}

/** The tables that a query reads from one end to the other. */
export async function readWhole(pool: Pool, ask: (database: Kysely<Tables>) => Promise<unknown>): Promise<string[]> {
  const asked: CompiledQuery[] = [];
  const watched = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log({ query }) {
      asked.push(query);
    },
  });
  await ask(watched);
  const whole: string[] = [];
  for (const { sql: text, parameters } of asked) {
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (format json) ${text}`, [
      ...parameters,
    ]);
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) {
      for (const node of nodesOf(Plan)) {
        if (node['Node Type'] === 'Seq Scan') whole.push(node['Relation Name'] ?? '');
      }
    }
  }
  expect(asked.length).toBeGreaterThan(0);
  return whole;
}
