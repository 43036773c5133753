import { parse } from 'node:path';
import type { EngineKind } from '../engine.ts';

/** The rows are in the published file, next to the catalog. */
export const duckdb: EngineKind = {
  name: 'duckdb',
  title: 'DuckDB',
  setting: null,
  target: 'warehouse.duckdb',
  dialect: null,
  address: () => ({ engine: 'duckdb', schemaPrefix: '' }),
  describe: ({ warehouse }) => ({
    shown: warehouse,
    namespace: `duckdb://${warehouse}`,
    prefix: `${parse(warehouse).name}.`,
    removable: warehouse,
  }),
  remote: null,
};
