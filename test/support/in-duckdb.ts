import type { EngineAddress } from '../../src/etl/project/settings/settings.ts';

/** A warehouse whose rows are in its file. */
export const IN_DUCKDB: EngineAddress = { engine: 'duckdb', schemaPrefix: '' };
