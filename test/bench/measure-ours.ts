import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepHeapSmall } from '../../src/app/cli/keep-heap-small.ts';
import { SettingsFile } from '../../src/app/settings/warehouse-setting.ts';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { Unarchiver } from '../../src/client/unarchiver.ts';
import { ConversionPlaces } from '../../src/core/duckdb/conversion-places.ts';
import { Database } from '../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { Meter } from '../../src/core/progress/meter.ts';
import { WorkingCopy } from '../../src/etl/engines/working-copy.ts';
import { publish } from '../../src/etl/pipeline/publish/publish.ts';
import { RankingWindows } from '../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import { routeOptions } from '../../src/etl/pipeline/routes/choose-route.ts';
import { FieldSchemaCache } from '../../src/etl/pipeline/routes/field-schema-cache.ts';
import { stagingConnections } from '../../src/etl/pipeline/stage/macros.ts';
import { LoadQueue } from '../../src/etl/pipeline/unit/load-units.ts';
import { runUnit } from '../../src/etl/pipeline/unit/run-unit.ts';
import { Pipeline } from '../../src/etl/project/model/pipeline.ts';
import type { Task } from '../../src/etl/project/model/task.ts';
import { loadModels } from '../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { sqliteLedger } from '../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { IN_DUCKDB } from '../support/in-duckdb.ts';
import { workspaceView } from '../support/inventory.ts';
import { runModels } from '../support/run-models.ts';
import { cpuSeconds, peakRss } from './resources.ts';
import { wayOf } from './ways.ts';

/** Measures crawlhouse in a process of its own: from the request to queryable rows in the working copy. */
keepHeapSmall();
const [
  baseUrl = '',
  folder = '',
  name = '',
  dataType = '',
  wayName = '',
  threads = '2',
  data = '',
  units = '1',
] = process.argv.slice(2);
const { route, format, asked = format, gzip } = wayOf(wayName);
const settings = {
  ...SettingsFile.parse({
    base_url: baseUrl,
    access_token: 'bench',
    threads: Number(threads),
    compression: gzip ? 'gzip' : 'none',
    // What the static store takes for the name of its file.
    store_a: { bucket: 'bench', prefix: `bench:${name}:${format}:${gzip ? 'gzip' : ''}`, endpoint: baseUrl },
  }),
  projectDir: folder,
  warehouse: join(folder, 'warehouse.duckdb'),
  engine: IN_DUCKDB,
  state_dir: join(folder, 'state'),
};
const pipeline = Pipeline.parse({
  dataset: `crawl_${dataType}`,
  description: 'bench',
  source: { kind: 'crawl', data_type: dataType },
});
const database = await Database.open({
  memoryLimit: settings.memory_limit,
  threads: settings.threads,
  tempDirectory: join(settings.state_dir, 'spill'),
});
const working = await WorkingCopy.open(
  database,
  { stateDir: settings.state_dir, warehouse: settings.warehouse, engine: IN_DUCKDB },
  silentLogger,
);
const models = await loadModels([sqlFolder(join(import.meta.dirname, '..', '..', 'sql'))]);
const signal = new AbortController().signal;
const client = new ServiceClient({ baseUrl, accessToken: 'bench' });
const ledger = sqliteLedger(settings.state_dir);
const engine = await ConversionPlaces.start(database, settings.threads, settings.memory_limit);
const context = {
  settings,
  runId: 'bench',
  client,
  database,
  working,
  loaded: new Map(),
  holds: new Map(),
  fieldsRead: () => new Map(),
  modelsVersion: '',
  ledger,
  engine,
  staging: stagingConnections(() => database.connect()),
  reload: false,
  respectBackoff: false,
  named: false,
  unarchiver: new Unarchiver(client, 0, 0, signal),
  fieldSchemas: new FieldSchemaCache(client, signal),
  logger: silentLogger,
  signal,
  progress: () => {},
};
const taskOf = (dataset: string): Task => ({
  unit: { dataset, source: { kind: 'crawl', id: name, project_id: 'bench' }, window: null },
  name: `${dataset}/${name}`,
  pipeline: { ...pipeline, dataset },
  skip: null,
  failure: null,
  oql: null,
  refresh: false,
  restore: null,
  ended_at: null,
});
const crawls = [{ id: name, project_id: 'bench', status: 'done' }];
const inventory = {
  workspaces: [workspaceView('w', [], crawls)],
  dates: new Map(),
  unread: new Map(),
  failures: [],
};
const override = { route, format: asked, store: route === 'export' ? 'store_a' : null } as const;
const options = routeOptions(pipeline, override, ['store_a']);
const meter = new Meter(() => {});
const slot = { move: async () => {} };
const loads = new LoadQueue(() => false);
const rankings = new RankingWindows(client, []);
const load = async (dataset: string): Promise<void> => {
  const task = taskOf(dataset);
  await ledger.discoverUnits([task.unit]);
  const { report, error } = await runUnit({ ...context, inventory, slot, meter, rankings, loads }, task, {
    options,
    former: undefined,
    stagedByOther: undefined,
  });
  if (error) throw error;
  if (report.counts.loaded !== expected)
    throw new Error(`${report.counts.loaded} rows loaded, not ${expected}`);
};
const expected = JSON.parse(readFileSync(join(data, `${name}.fields.json`), 'utf8')).rows;

// The whole process is measured from outside: a load and its publication, also if the load fails.
if (units === 'published') {
  const failure = await load(pipeline.dataset).catch((error: Error) => error);
  await publish(working, silentLogger, signal);
  if (failure) process.stderr.write(`${failure.message}\n`);
  process.exit(failure ? 1 : 0);
}
const startedAt = performance.now();
const cpuBefore = cpuSeconds();
if (units === '1') await load(pipeline.dataset);
else if (units === 'two at once') await Promise.all([load(pipeline.dataset), load('again')]);
else for (const dataset of [pipeline.dataset, 'again']) await load(dataset);
const loadedAt = performance.now();
const rss = peakRss();
const cpu = cpuSeconds() - cpuBefore;
await runModels({
  connection: working.connection,
  models,
  changed: 'all',
  logger: silentLogger,
  runId: 'bench',
});
const modelledAt = performance.now();
await publish(working, silentLogger, signal);
const publishedAt = performance.now();
process.stdout.write(
  `${JSON.stringify({
    seconds: (loadedAt - startedAt) / 1000,
    models: (modelledAt - loadedAt) / 1000,
    publish: (publishedAt - modelledAt) / 1000,
    cpu,
    rss,
    rssWithModels: peakRss(),
  })}\n`,
);
process.exit(0);
