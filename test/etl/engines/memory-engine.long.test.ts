import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Engine } from '../../../src/etl/engines/engine.ts';
import type { EngineAddress } from '../../../src/etl/project/settings/settings.ts';
import { createSchema } from '../../../src/etl/state/catalog/create-schema.ts';
import { memoryEngine } from '../../support/memory-engine/memory-engine.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { engineContract } from './engine-contract.ts';
import { rowStoreContract } from './row-store-contract.ts';

// All that a third engine takes: its folder, and a line in the lists of what is known and of what works.
vi.mock('../../../src/etl/engines/kinds.ts', async (original) => {
  const { KINDS } = await original<typeof import('../../../src/etl/engines/kinds.ts')>();
  const { memory } = await import('../../support/memory-engine/memory.ts');
  return { KINDS: [...KINDS, memory] };
});
vi.mock('../../../src/etl/engines/open-engine.ts', async (original) => {
  const { openEngine } = await original<typeof import('../../../src/etl/engines/open-engine.ts')>();
  const { memoryEngine } = await import('../../support/memory-engine/memory-engine.ts');
  return {
    openEngine: async (address: EngineAddress): Promise<Engine> =>
      address.engine === 'memory' ? memoryEngine(address.schemaPrefix) : openEngine(address),
  };
});

engineContract(
  'memory',
  () => `shipped_models: none\nwarehouse: {engine: memory, schema_prefix: m${randomUUID().slice(0, 8)}_}\n`,
);

rowStoreContract('memory', async () => {
  const catalog = await temporaryConnection(await temporaryFolder());
  await createSchema(catalog);
  await catalog.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const folder = await temporaryFolder();
  const engine = memoryEngine(`r${randomUUID().slice(0, 8)}_`);
  const place = { connection: catalog, stateDir: folder, working: '', published: join(folder, 'w.duckdb') };
  const { rows, models } = await (await engine.openWriter(place, silentLogger)).begin();
  const path = join(folder, 'catalogue.duckdb');
  await writeFile(path, '');
  return {
    rows,
    catalog,
    read: () => models.queries.rows('SELECT * FROM raw.crawl_pages'),
    async publish() {
      await rows.prepare();
      await rows.publish({ path, id: randomUUID() });
    },
  };
});
