import { z } from 'zod';
import type { EngineKind } from '../../../src/etl/engines/engine.ts';

const MemoryWarehouse = z.strictObject({ engine: z.literal('memory'), schema_prefix: z.string().min(1) });

/** An engine that only tests have: the rows are in another DuckDB, and gone with the process. */
export const memory: EngineKind = {
  name: 'memory',
  title: 'Memory',
  setting: MemoryWarehouse,
  target: 'memory.yaml',
  dialect: async (prefix) => (await import('./memory-engine.ts')).memoryDialect(prefix),
  address: (setting) => ({ engine: 'memory', schemaPrefix: MemoryWarehouse.parse(setting).schema_prefix }),
  describe: () => ({ shown: 'memory', namespace: 'memory://process', prefix: '', removable: 'nothing' }),
  remote: async ({ schemaPrefix }) => (await import('./memory-engine.ts')).memoryRemote(schemaPrefix),
};
