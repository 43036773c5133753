import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { FormerLoad } from '../../project/model/former-load.ts';
import { type KnownLists, readKnownLists } from './ops/ops-lists.ts';
import { loadedUnits } from './ops/ops-loads.ts';

export interface Knowledge {
  readonly known: KnownLists;
  readonly loaded: ReadonlyMap<string, FormerLoad>;
}

export async function readKnowledge(connection: Connection): Promise<Knowledge> {
  return { known: await readKnownLists(connection), loaded: await loadedUnits(connection) };
}
