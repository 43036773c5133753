import { hostname } from 'node:os';
import type { EngineKind } from '../engine.ts';

/** The rows are in the file that is published, beside the catalogue. */
export const duckdb: EngineKind = {
  name: 'duckdb',
  title: 'DuckDB',
  setting: null,
  target: 'warehouse.duckdb',
  isInCatalogue: true,
  dialect: null,
  address: () => ({ engine: 'duckdb', schemaPrefix: '' }),
  describe: ({ warehouse }) => ({
    shown: warehouse,
    namespace: `duckdb://${hostname()}${warehouse}`,
    removable: warehouse,
  }),
  async open() {
    const { duckdbEngine } = await import('./duckdb-engine.ts');
    return duckdbEngine;
  },
};
