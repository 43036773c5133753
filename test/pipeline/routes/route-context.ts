import { onTestFinished } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadSettings } from '../../../src/people/settings/load-settings.ts';
import { RankingWindows } from '../../../src/pipeline/routes/aggregates/ranking-windows.ts';
import { describeRows } from '../../../src/pipeline/routes/describe-rows.ts';
import { FieldSchemaCache } from '../../../src/pipeline/routes/field-schema-cache.ts';
import type { OpeningContext } from '../../../src/pipeline/routes/open-unit.ts';
import type { ChosenRoute, RoutedUnit } from '../../../src/pipeline/routes/route.ts';
import type { Inventory } from '../../../src/project/model/inventory.ts';
import { Pipeline } from '../../../src/project/model/pipeline.ts';
import type { PlannedUnit } from '../../../src/project/model/planned-unit.ts';
import type { RawPart, Source } from '../../../src/project/model/source.ts';
import { unitName } from '../../../src/project/model/unit.ts';
import { sqliteLedger } from '../../../src/state/ledger/sqlite/sqlite-ledger.ts';
import { clientOf } from '../../service/local/clients.ts';
import type { Service } from '../../service/local/support.ts';
import { workspaceView } from '../../support/inventory.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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
    rankings: new RankingWindows(client, []),
    fieldSchemas: new FieldSchemaCache(client, signal),
    logger: silentLogger,
    slot: { move: async (store: string | null) => void moves.push(store) },
  } satisfies OpeningContext;
  return { ...context, ledger, moves };
}

export function plannedUnit(id: string, more: Readonly<Record<string, unknown>> = {}): PlannedUnit {
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

/** A described unit on its way by a route. */
export async function routedUnit(
  it: Service,
  { client, fieldSchemas }: OpeningContext,
  planned: PlannedUnit,
  chosen: Omit<ChosenRoute, 'reason'>,
): Promise<RoutedUnit> {
  const source = { kind: 'crawl', id: planned.unit.source.id, dataType: 'pages' } as const;
  const rows = await describeRows(client, fieldSchemas, source, planned, signal);
  const inventory = await inventoryOf(it);
  return { planned, chosen: { ...chosen, reason: 'r' }, rows, inventory, folder: await temporaryFolder() };
}

/** The raw parts of a source, read to its end. */
export async function partsOf({ parts }: Source): Promise<RawPart[]> {
  const found: RawPart[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

export const rowsIn = (parts: readonly RawPart[]): number => parts.reduce((sum, { rows }) => sum + rows, 0);
