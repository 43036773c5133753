import type { RemoteRows, Statements } from '../engine.ts';
import type { TrinoAddress } from './client/address.ts';
import { QUERY_SESSION } from './client/client.ts';
import { openTrinoClient } from './client/open-trino.ts';
import { bringNewest, followPublication } from './follow-publication.ts';

/** Reads a warehouse in Trino; nothing here writes. */
export function trinoRemote(address: TrinoAddress): RemoteRows {
  return {
    openStatements: () => openStatements(address),
    follow: (place, logger, following) => followPublication(place, address, logger, following),
    bringNewest: (place, logger, signal) => bringNewest(place, address, logger, signal),
  };
}

/** Statements of people, under a limit of their time that Trino holds too. */
async function openStatements(address: TrinoAddress): Promise<Statements> {
  const client = await openTrinoClient(address);
  return {
    async *rows(sql, seconds, signal) {
      const session = { ...QUERY_SESSION, query_max_run_time: `${Math.ceil(seconds)}s` };
      for await (const { rows } of client.pages(sql, { session, source: 'query' }, signal)) yield rows;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
