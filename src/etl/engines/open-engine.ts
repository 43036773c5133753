import { optional } from '../../core/errors/optional-part.ts';
import { lookUp } from '../../core/text/look-up.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { Engine } from './engine.ts';
import { engineKind } from './registry.ts';

/** The engines by name. `kinds.ts` contains their descriptions and the functions that read them. */
const ENGINES: Readonly<Record<string, (address: EngineAddress) => Promise<Engine>>> = {
  duckdb: async () => (await import('./duckdb/duckdb-engine.ts')).duckdbEngine,
  trino: async (address) => (await import(optional('./trino/trino-engine.ts'))).openTrinoEngine(address),
};

/** Returns the engine of a warehouse, with its libraries. It makes no requests yet. */
export function openEngine(address: EngineAddress): Promise<Engine> {
  const open = lookUp(ENGINES, engineKind(address).name);
  if (open === undefined) throw new Error(`no part of crawlhouse opens the engine ${address.engine}`);
  return open(address);
}
