import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { OpenIncident } from '../../src/app/operations/alert/incident.ts';
import { sqliteAlertStore } from '../../src/app/operations/alert/open-alert-store.ts';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { MANIFEST_VERSION } from '../../src/etl/project/model/manifest.ts';
import { WAREHOUSE_VERSION } from '../../src/etl/state/catalog/schema.ts';
import { LEDGER_VERSION } from '../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { fields, makePackage } from '../etl/pipeline/load/make-package.ts';

const INCIDENT: OpenIncident = {
  key: 'stale/p1',
  event: 'stale',
  title: 'no new crawl',
  project_id: 'p1',
  since: '2026-11-21T06:00:00.000Z',
  targets: ['webhook-1'],
};

// Makes the files of the present formats. Files of former versions stay: they are what former programs have written.
const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..');
const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-formats-'));
try {
  await using database = await Database.open({
    memoryLimit: '400MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  using connection = await database.connect();
  const made = await makePackage(connection, folder, {
    id: 'c1',
    fields: fields('url', 'depth natural'),
    rows: [
      { url: 'https://example.com/', depth: 0 },
      { url: 'https://example.com/a', depth: 1 },
    ],
  });
  const project = join(folder, 'project');
  await mkdir(project);
  for (const name of ['pipelines', 'schedules.yaml'])
    await cp(join(ROOT, name), join(project, name), { recursive: true });
  await writeFile(join(project, 'crawlhouse.yaml'), 'shipped_models: none\n');
  execFileSync(process.execPath, [join(ROOT, 'src', 'app', 'cli', 'main.ts'), 'load', made], {
    cwd: project,
    env: { PATH: process.env.PATH },
  });
  const warehouse = await readFile(join(project, 'warehouse.duckdb'));
  await writeFile(join(HERE, `warehouse.v${WAREHOUSE_VERSION}.duckdb.zst`), zstdCompressSync(warehouse));
  await cp(join(project, '.crawlhouse', 'ledger.sqlite'), join(HERE, `ledger.v${LEDGER_VERSION}.sqlite`));
  const target = join(HERE, `package.v${MANIFEST_VERSION}`);
  await rm(target, { recursive: true, force: true });
  await cp(join(made, 'manifest.json'), join(target, 'manifest.json'));
  await cp(join(made, 'parts'), join(target, 'parts'), { recursive: true });
  {
    await using alerts = sqliteAlertStore(join(folder, 'alerts'));
    await alerts.change(() => ({ opened: [INCIDENT], closed: [], alerts: [] }));
  }
  await cp(join(folder, 'alerts', 'alerts.sqlite'), join(HERE, 'alerts.v1.sqlite'));
} finally {
  await rm(folder, { recursive: true, force: true });
}
