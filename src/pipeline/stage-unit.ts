import { rm } from 'node:fs/promises';
import { CrawlhouseError } from '../core/errors.ts';
import { type RetryPolicy, retry } from '../core/retry.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { extractResource } from '../extract/extract-resource.ts';
import { extractStream } from '../extract/extract-stream.ts';
import { reconcile } from '../model/counts.ts';
import type { Field } from '../model/field.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { unitName } from '../model/unit.ts';
import { PackageBuilder, type StagedParts } from '../stage/package-builder.ts';
import { writeManifest } from '../stage/write-manifest.ts';
import type { ChosenRoute } from './choose-route.ts';
import type { RunContext } from './context.ts';
import { declaredFields, requestedFields } from './requested-fields.ts';
import { resetFolders, type UnitFolders, unitFolders } from './unit-folders.ts';

const POLICY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 60_000 };

/** What came of a unit before its load. */
export interface StagedUnit {
  readonly folders: UnitFolders;
  readonly manifest: Manifest;
}

/** A download as a generator of raw parts, with what the service says about it. */
interface Source {
  readonly reported: number | null;
  readonly catalogue: readonly Field[];
  readonly parts: AsyncGenerator<RawPart, Download>;
}

/**
 * Extracts and stages a unit: from the service's count to a whole package on disk. A download that breaks is begun
 * anew; one that comes whole but with another number of rows than the service reports, once more.
 *
 * @throws CrawlhouseError retriable when the attempts are used up, `unreconciled`, `rejected_values`
 */
export async function stageUnit(
  context: RunContext,
  planned: PlannedUnit,
  chosen: ChosenRoute,
  landscape: Landscape,
  onAttempt: (attempt: number) => void,
): Promise<StagedUnit> {
  const name = unitName(planned.unit);
  const folders = unitFolders(context.settings.state_dir, name);
  const logger = context.logger.with({ unit: name });
  const startedAt = performance.now();
  let differences = 0;
  return retry(
    async (attempt) => {
      onAttempt(attempt);
      await resetFolders(folders);
      const requestedAt = new Date().toISOString();
      const source = await openSource(context, planned, chosen, landscape, folders);
      const { download, staged } = await stageParts(context, source, folders);
      const counts = {
        reported: source.reported,
        received: download.rows,
        staged: staged.staged,
        rejected: staged.rejected,
      };
      refuseDifference(name, counts, differences++);
      const manifest: Manifest = {
        version: 1,
        unit: planned.unit,
        name,
        run_id: context.runId,
        source: {
          base_url: context.settings.base_url ?? '',
          route: chosen.route,
          format: chosen.format,
          filter: chosen.route === 'stream' ? chosen.oql : null,
          requested_at: requestedAt,
        },
        columns: [...staged.columns],
        parts: staged.parts,
        counts,
        rejects: [...staged.rejects],
        bytes: download.bytes,
        content_sha256: download.sha256,
        attempts: attempt,
        seconds: Math.round(performance.now() - startedAt) / 1000,
        created_at: new Date().toISOString(),
      };
      await writeManifest(folders.package, manifest);
      logger.debug('staged', { rows: counts.staged, bytes: download.bytes });
      return { folders, manifest };
    },
    {
      policy: POLICY,
      signal: context.signal,
      onRetry: (error, failures, delayMs) =>
        logger.warn('attempt failed, trying again', { error: error.message, failures, delay_ms: delayMs }),
    },
  );
}

async function openSource(
  context: RunContext,
  { unit, pipeline }: PlannedUnit,
  chosen: ChosenRoute,
  landscape: Landscape,
  folders: UnitFolders,
): Promise<Source> {
  const { client, settings, signal } = context;
  if (chosen.route === 'list') {
    const list = landscape.workspaces.find((workspace) => workspace.id === unit.source.id)?.[chosen.list];
    return {
      reported: list?.total ?? null,
      catalogue: declaredFields(pipeline.columns),
      parts: extractResource(pipeline.dataset, list?.items ?? [], folders.raw),
    };
  }
  const crawlId = unit.source.id;
  const catalogue = requestedFields(
    await client.crawlFields(crawlId, chosen.dataType, signal),
    pipeline.fields,
  );
  const fields = catalogue.map((field) => field.name);
  if (fields.length === 0) {
    throw new CrawlhouseError('bad_pipeline', `${pipeline.dataset}: none of the crawl's fields is included`, {
      hint: `check fields in pipelines/${pipeline.dataset}.yaml`,
    });
  }
  const search = await client.searchCrawl(
    crawlId,
    chosen.dataType,
    { limit: 1, fields: fields.slice(0, 1), ...(chosen.oql ? { oql: chosen.oql } : {}) },
    signal,
  );
  const gzip = wantsGzip(settings.compression, settings.base_url ?? '');
  const request = {
    crawlId,
    dataType: chosen.dataType,
    fields,
    oql: chosen.oql,
    format: chosen.format,
    gzip,
  };
  return {
    reported: search.meta.total_hits,
    catalogue,
    parts: extractStream(client, request, folders.raw, signal),
  };
}

/** Stages each part while the next ones still come. */
async function stageParts(
  context: RunContext,
  source: Source,
  folders: UnitFolders,
): Promise<{ download: Download; staged: StagedParts }> {
  using connection = await context.database.connect();
  const builder = await PackageBuilder.create(connection, folders.package, source.catalogue);
  let failed = false;
  let staging: Promise<void> = Promise.resolve();
  const stage = async (part: RawPart): Promise<void> => {
    await context.engine.run(() => builder.addPart(part, context.signal));
    if (context.settings.keep_raw === 'never') await rm(part.path);
  };
  try {
    for (;;) {
      const next = await source.parts.next();
      if (next.done) {
        await staging;
        const staged = await builder.finish(next.value.header, context.signal);
        return { download: next.value, staged };
      }
      const part = next.value;
      staging = staging.then(() => stage(part));
      staging.catch(() => {
        failed = true;
      });
      if (failed) await staging;
    }
  } finally {
    await source.parts.return(undefined as never);
    await staging.catch(() => {});
  }
}

/**
 * Holds the counts against each other. A clean end on a row's border looks whole, so a first difference is taken for a
 * cut; a second one is the service's own.
 */
function refuseDifference(name: string, counts: Manifest['counts'], earlier: number): void {
  const difference = reconcile({ ...counts, loaded: null, queryable: null });
  if (!difference) return;
  const message = `${name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}`;
  throw earlier === 0
    ? new CrawlhouseError('cut_short', message)
    : new CrawlhouseError('unreconciled', message, {
        hint: 'the unit keeps its former rows; the next run tries again',
      });
}

function wantsGzip(compression: 'auto' | 'gzip' | 'none', baseUrl: string): boolean {
  if (compression !== 'auto') return compression === 'gzip';
  const host = new URL(baseUrl).hostname;
  return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
}
