import type { Statements } from '../engine.ts';
import type { TrinoAddress } from './address.ts';
import { openTrinoClient } from './open-trino.ts';
import { QUERY_SESSION } from './session.ts';

/** Statements of people, under a limit of their time that Trino holds too. */
export async function openTrinoStatements(address: TrinoAddress): Promise<Statements> {
  const client = await openTrinoClient(address);
  return {
    async *rows(sql, seconds, signal) {
      const session = { ...QUERY_SESSION, query_max_run_time: `${Math.ceil(seconds)}s` };
      for await (const { rows } of client.pages(sql, { session, source: 'query' }, signal)) yield rows;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
