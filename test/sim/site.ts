import { z } from 'zod';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import type { Crawl } from '../../src/client/resources/crawls.ts';
import { type Logger, silentLogger } from '../../src/core/logs/logger.ts';
import { DEFAULT_LIMITS } from '../../src/core/net/download-limits.ts';
import type { RouteOption } from '../../src/etl/pipeline/routes/route.ts';
import type { Pipeline } from '../../src/etl/project/model/pipeline.ts';
import { Pipeline as PipelineFile } from '../../src/etl/project/model/pipeline.ts';
import type { Task } from '../../src/etl/project/model/task.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { settingsFile } from '../../src/etl/project/settings/settings-file.ts';
import type { SimProcess } from './sim-process.ts';
import { WEBHOOK } from './sim-service.ts';

/** The project folder, on each machine that has one. */
export const FOLDER = '/project';
export const STATE = `${FOLDER}/state`;
export const WAREHOUSE = `${FOLDER}/data/warehouse.duckdb`;

const parsed = settingsFile(z.unknown()).parse({
  base_url: 'http://service',
  access_token: 'token',
  warehouse: WAREHOUSE,
  state_dir: STATE,
  store_a: { bucket: 'exports' },
  store_b: { bucket: 'packages', region: 'r' },
  alerts: { webhook: WEBHOOK, timeout: 10 },
  schedule_grace: 20,
  keep_raw: 'never',
});

/** The settings of a process. */
export function simSettings(isShared: boolean): Settings {
  return {
    ...parsed,
    ...(isShared
      ? {
          ledger: 'postgres://u:p@server/ledgers?project=p&sslmode=disable',
          packages: { store: 'store_b', prefix: 'packages' },
        }
      : {}),
    projectDir: FOLDER,
    warehouse: WAREHOUSE,
    engine: { engine: 'duckdb', schemaPrefix: '' },
  } as Settings;
}

const pipeline = (dataset: string, data_type: string): Pipeline =>
  PipelineFile.parse({ dataset, description: dataset, source: { kind: 'crawl', data_type } });

export const PIPELINES = [pipeline('crawl_pages', 'pages'), pipeline('crawl_links', 'links')];

/** Pages come by a search, links by a data export. */
export const ROUTES: ReadonlyMap<string, readonly RouteOption[]> = new Map([
  ['crawl_pages', [{ route: 'search', format: 'json', store: null, reason: 'few rows' }]],
  ['crawl_links', [{ route: 'export', format: 'json', store: 'store_a', reason: 'many rows' }]],
]);

export function tasksOf(crawls: readonly Crawl[]): Task[] {
  return PIPELINES.flatMap((one) =>
    crawls
      .filter(({ status }) => status === 'done')
      .map(({ id, project_id, ended_at }) => ({
        unit: { dataset: one.dataset, source: { kind: 'crawl' as const, id, project_id }, window: null },
        name: `${one.dataset}/${id}`,
        pipeline: one,
        skip: null,
        failure: null,
        oql: null,
        refresh: false,
        restore: null,
        ended_at: ended_at ?? null,
      })),
  );
}

export function simClient(logger: Logger): ServiceClient {
  return new ServiceClient({
    baseUrl: 'http://service',
    accessToken: 'token',
    limits: DEFAULT_LIMITS,
    logger,
  });
}

/** Says what the product logs, where a person reads the trace. */
export function simLogger(process: SimProcess): Logger {
  if (process.world.trace === null) return silentLogger;
  const say = (message: string, fields: object = {}): void =>
    process.world.say(`${process.name}: "${message}" ${JSON.stringify(fields)}`);
  const logger: Logger = { error: say, warn: say, info: say, debug: () => {}, with: () => logger };
  return logger;
}
