import { existsSync } from 'node:fs';
import { optional } from '../../core/errors/optional-part.ts';
import { duckdb } from './duckdb/duckdb-kind.ts';
import type { EngineKind } from './engine.ts';

/**
 * The engines by name. Each further engine needs a folder and a line here (docs/architecture.md). An installation may
 * lack the folder.
 */
export const KINDS: readonly EngineKind[] = [
  duckdb,
  ...(await present('trino', async () => (await import(optional('./trino/trino-kind.ts'))).trino)),
];

async function present(folder: string, load: () => Promise<EngineKind>): Promise<EngineKind[]> {
  return existsSync(new URL(folder, import.meta.url)) ? [await load()] : [];
}
