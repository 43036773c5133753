import { onTestFinished } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { RankingWindows } from '../../../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import { describeRows } from '../../../../src/etl/pipeline/routes/describe-rows.ts';
import { FieldSchemaCache } from '../../../../src/etl/pipeline/routes/field-schema-cache.ts';
import type { OpeningContext } from '../../../../src/etl/pipeline/routes/open-unit.ts';
import type { ChosenRoute, RouteRequest } from '../../../../src/etl/pipeline/routes/route.ts';
import type { Download, Part } from '../../../../src/etl/project/model/download.ts';
import type { Inventory } from '../../../../src/etl/project/model/inventory.ts';
import { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import type { Task } from '../../../../src/etl/project/model/task.ts';
import { unitName } from '../../../../src/etl/project/model/unit.ts';
import { sqliteLedger } from '../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { clientOf } from '../../../service/clients.ts';
import type { Service } from '../../../service/support.ts';
import { workspaceView } from '../../../support/inventory.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

export const { signal } = new AbortController();

/** What the routes need of a run, against a sandbox. */
export async function routeContext(it: Service, settings: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  const ledger = sqliteLedger(folder);
  onTestFinished(() => ledger[Symbol.asyncDispose]());
  const client = clientOf(it);
  const { store_b } = it.sandbox.ready;
  process.env.AWS_ACCESS_KEY_ID = store_b.access_key;
  process.env.AWS_SECRET_ACCESS_KEY = store_b.secret_key;
  const moves: (string | null)[] = [];
  const context = {
    client,
    settings: await loadSettings(folder, {
      CRAWLHOUSE_BASE_URL: it.sandbox.baseUrl,
      CRAWLHOUSE_ACCESS_TOKEN: it.sandbox.accessToken,
      CRAWLHOUSE_STORE_B_BUCKET: store_b.bucket,
      CRAWLHOUSE_STORE_B_ENDPOINT: store_b.endpoint,
      CRAWLHOUSE_STORE_B_REGION: store_b.region,
      CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET: store_b.credentials_secret,
      ...settings,
    }),
    ledger,
    signal,
    runId: 'run-1',
    reload: false,
    progress: () => {},
    inventory: await inventoryOf(it),
    rankings: new RankingWindows(client, []),
    fieldSchemas: new FieldSchemaCache(client, signal),
    logger: silentLogger,
    slot: { move: async (store: string | null) => void moves.push(store) },
  } satisfies OpeningContext;
  return { ...context, ledger, moves };
}

export function taskOf(id: string, more: Readonly<Record<string, unknown>> = {}): Task {
  const pipeline = Pipeline.parse({
    dataset: 'crawl_pages',
    description: 'Pages',
    source: { kind: 'crawl', data_type: 'pages' },
    ...more,
  });
  const unit = {
    dataset: pipeline.dataset,
    source: { kind: pipeline.source.kind, id, project_id: 'p' },
    window: null,
  };
  const name = unitName(unit);
  return {
    unit,
    name,
    pipeline,
    skip: null,
    failure: null,
    oql: null,
    refresh: false,
    restore: null,
    ended_at: 1,
  };
}

/** The workspace of a sandbox with its crawls. */
export async function inventoryOf(it: Service): Promise<Inventory> {
  const workspaceId = await it.workspace();
  const { items } = await clientOf(it).all('crawls', { workspace_id: workspaceId });
  return {
    workspaces: [workspaceView(workspaceId, [], items)],
    dates: new Map(),
    unread: new Map(),
    failures: [],
  };
}

/** A described task by a route. */
export async function requestFor(
  { client, fieldSchemas }: OpeningContext,
  task: Task,
  chosen: Omit<ChosenRoute, 'reason'>,
): Promise<RouteRequest> {
  const source = { kind: 'crawl', id: task.unit.source.id, dataType: 'pages' } as const;
  const rows = await describeRows(client, fieldSchemas, source, task, signal);
  return { task, chosen: { ...chosen, reason: 'r' }, rows, folder: await temporaryFolder() };
}

/** The raw parts of a source, read to its end. */
export async function partsOf({ parts }: Download): Promise<Part[]> {
  const found: Part[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

export const rowsIn = (parts: readonly Part[]): number => parts.reduce((sum, { rows }) => sum + rows, 0);
