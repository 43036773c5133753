import { join } from 'node:path';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { host, timestamp } from '../../src/core/host/host.ts';
import { listObjects } from '../../src/core/stores/list-objects.ts';
import { objectText } from '../../src/core/stores/read-object.ts';
import { openConfiguredStore } from '../../src/core/stores/registry.ts';
import { retry } from '../../src/core/time/retry.ts';
import { awaitExport, prefixOf } from '../../src/etl/pipeline/routes/export/data-export-job.ts';
import { ensureExport } from '../../src/etl/pipeline/routes/export/ensure-export.ts';
import {
  resetFolders,
  sealFile,
  unitFolders,
  writeManifest,
} from '../../src/etl/pipeline/stage/unit-folders.ts';
import type { StagingContext, UnitSteps } from '../../src/etl/pipeline/unit/contexts.ts';
import type { Counts } from '../../src/etl/project/model/runs/six-counts.ts';
import type { Task } from '../../src/etl/project/model/task.ts';
import { pipelineDefinition } from '../../src/etl/project/model/unit-source.ts';
import { limitsOf } from '../../src/etl/project/settings/limits.ts';
import { sha256 } from './sim-service.ts';
import type { SimWarehouse } from './sim-warehouse.ts';

const PART = 'parts/part-00001.parquet';

/** Stages a unit by the product's folders, files and manifest; the rows stand in a small file instead of Parquet. */
export const simStage: UnitSteps['stage'] = async (context, task, options, { onMove }) => {
  const { settings, runId, signal } = context;
  const { name, unit, pipeline } = task;
  const folders = unitFolders(settings.state_dir, name);
  const [chosen] = options;
  if (chosen === undefined) throw new Error(`${name} has no route`);
  const policy = { attempts: 4, baseMs: 500, maxMs: 60_000 };
  return retry(
    async (attempt) => {
      await resetFolders(folders, 'parts');
      await onMove('requested', attempt);
      const requested_at = timestamp();
      const rows = await (chosen.route === 'export'
        ? exportedRows(context, task)
        : searchedRows(context, task));
      await onMove('downloading', attempt);
      context.meter.opened(name, rows.length, 1);
      const { files } = host();
      const text = rows.map((row) => `${row}\n`).join('');
      const file = await files.open(join(folders.package, PART), 'w');
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
      const part = await sealFile(folders.package, { file: PART, rows: rows.length });
      const manifest = {
        version: 1 as const,
        unit,
        name,
        run_id: runId,
        source: {
          base_url: settings.base_url ?? '',
          route: chosen.route,
          format: chosen.format,
          filter: null,
          definition: pipelineDefinition(pipeline),
          reason: chosen.reason,
          requested_at,
          ended_at: task.ended_at,
        },
        columns: [],
        parts: [part],
        counts: { reported: rows.length, received: rows.length, staged: rows.length, rejected: 0 },
        rejects: [],
        notes: [],
        bytes: text.length,
        content_sha256: sha256(text),
        attempts: attempt,
        seconds: 0,
        created_at: timestamp(),
      };
      await writeManifest(folders.package, manifest);
      return { folder: folders.package, manifest };
    },
    { policy, signal },
  );
};

async function searchedRows({ client, signal }: StagingContext, { unit }: Task): Promise<string[]> {
  const source = { kind: 'crawl', id: unit.source.id, dataType: 'pages' } as const;
  const { urls = [] } = await client.search(source, { fields: ['url'] }, signal);
  return urls.map(({ url }) => String(url));
}

/** As `export-route.ts` has it. */
async function exportedRows(context: StagingContext, task: Task): Promise<string[]> {
  const { client, ledger, settings, signal } = context;
  const target = 'store_a';
  const workspaceId = 'w1';
  const { requested } = await ensureExport(context, task, { format: 'json', target, workspaceId });
  const done = await awaitExport(client, requested, {
    workspaceId,
    waitMs: limitsOf(settings).exportWait,
    signal,
    onStatus: (status) => ledger.setExportStatus(task.name, status),
  }).catch(async (error: unknown) => {
    if (error instanceof CrawlhouseError && error.code === 'export_failed')
      await ledger.setExportStatus(task.name, 'FAILED');
    throw error;
  });
  await using store = await openConfiguredStore(settings, target);
  const objects = await listObjects(store, prefixOf(done), signal);
  if (objects.length === 0) {
    await ledger.setExportStatus(task.name, 'GONE');
    throw new CrawlhouseError(
      'cut_short',
      `${task.name}: the objects of the data export ${done.id} no longer exist`,
    );
  }
  const texts = [];
  for (const object of objects) texts.push(await objectText(store, object, signal));
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String((JSON.parse(line) as { url: string }).url));
}

/** Loads a package into the simulated warehouse. */
export function simLoad(warehouse: SimWarehouse): UnitSteps['load'] {
  return async ({ runId }, { folder, manifest }): Promise<Counts> => {
    const { files } = host();
    const text = await files.readFile(join(folder, PART), 'utf8');
    const rows = text.split('\n').filter((line) => line !== '');
    await warehouse.load(manifest.name, {
      rows,
      run_id: runId,
      loaded_at: host().now(),
      route: manifest.source.route,
      ended_at: manifest.source.ended_at ?? null,
    });
    return { ...manifest.counts, loaded: rows.length, queryable: null };
  };
}
