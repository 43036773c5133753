import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { createSchema } from '../../src/state/catalogue/schema.ts';
import { engineContract } from '../engines/engine-contract.ts';
import { rowStoreContract } from '../engines/row-store-contract.ts';
import { memory } from '../support/memory-engine/memory.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

// All that a third engine takes: its folder, and a line of the registry.
vi.mock('../../src/engines/kinds.ts', async (original) => {
  const { KINDS } = await original<typeof import('../../src/engines/kinds.ts')>();
  const { memory } = await import('../support/memory-engine/memory.ts');
  return { KINDS: [...KINDS, memory] };
});

engineContract(
  'memory',
  () => `shipped_models: none\nwarehouse: {engine: memory, schema_prefix: m${randomUUID().slice(0, 8)}_}\n`,
);

rowStoreContract('memory', async () => {
  const catalogue = await temporaryConnection(await temporaryFolder());
  await createSchema(catalogue);
  await catalogue.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const folder = await temporaryFolder();
  const engine = await memory.open({ engine: 'memory', schemaPrefix: `r${randomUUID().slice(0, 8)}_` });
  const place = { connection: catalogue, stateDir: folder, working: '', published: join(folder, 'w.duckdb') };
  const { rows, models } = await (await engine.openWriter(place, silentLogger)).begin();
  const path = join(folder, 'catalogue.duckdb');
  await writeFile(path, '');
  return {
    rows,
    catalogue,
    read: () => models.queries.rows('SELECT * FROM raw.crawl_pages'),
    async publish() {
      await rows.prepare();
      await rows.publish({ path, id: randomUUID() });
    },
  };
});
