import { lookUp } from '../core/text/look-up.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { Engine } from './engine.ts';
import { engineKind } from './registry.ts';

/** What works in a warehouse, by the engine's name; `kinds.ts` has what is known of it, and how it is read. */
const ENGINES: Readonly<Record<string, (address: EngineAddress) => Promise<Engine>>> = {
  duckdb: async () => (await import('./duckdb/duckdb-engine.ts')).duckdbEngine,
  trino: async (address) => (await import('./trino/trino-engine.ts')).openTrinoEngine(address),
};

/** The engine of a warehouse, with its libraries. Nothing is asked of it yet. */
export function openEngine(address: EngineAddress): Promise<Engine> {
  const open = lookUp(ENGINES, engineKind(address).name);
  if (open === undefined) throw new Error(`nothing opens the engine ${address.engine}`);
  return open(address);
}
