import { CrawlhouseError } from '../core/errors.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { awaitExport, prefixOf } from '../extract/data-export-job.ts';
import { extractExport } from '../extract/extract-export.ts';
import { unitName } from '../model/unit.ts';
import { listObjects } from '../stores/list-objects.ts';
import type { ObjectStore } from '../stores/object-store.ts';
import type { ChosenRoute, Store } from './choose-route.ts';
import { openConfiguredStore } from './configured-stores.ts';
import type { RunContext } from './context.ts';
import { ensureExport } from './ensure-export.ts';
import type { Rows } from './open-rows.ts';
import type { Source } from './source.ts';

/**
 * Opens a unit by a data export (api-spec.md §4.9): asked for once an attempt and found again after a kill, waited for,
 * then brought object by object.
 */
export async function openExport(
  context: RunContext,
  rows: Rows,
  planned: PlannedUnit,
  chosen: ChosenRoute,
  landscape: Landscape,
  folder: string,
): Promise<Source> {
  const { client, ledger, settings, signal } = context;
  const unit = unitName(planned.unit);
  const target = chosen.store ?? 'store_a';
  const workspaceId = workspaceOf(landscape, planned.unit.source.id);
  const requested = await ensureExport(context, planned, chosen, target, workspaceId);
  const done = await awaitExport(client, requested, {
    workspaceId,
    signal,
    onStatus: (status) => {
      ledger.setExportStatus(unit, status);
      context.progress(`${unit}: data export ${status}`);
    },
  }).catch(async (error: unknown) => {
    if (!(error instanceof CrawlhouseError) || error.code !== 'export_failed') throw error;
    ledger.setExportStatus(unit, 'FAILED');
    throw (await wrongSettings(context, target, prefixOf(requested), error)) ?? error;
  });
  const reported = done.output_row_count ?? rows.reported;
  if (reported !== rows.reported) {
    throw new CrawlhouseError(
      'unreconciled',
      `${unit}: the service counts ${rows.reported} rows, its data export ${done.id} has ${reported}`,
    );
  }
  const store = await openConfiguredStore(settings, target);
  const objects = await listObjects(store, prefixOf(done), signal).catch(async (error: unknown) => {
    await store[Symbol.asyncDispose]();
    throw error;
  });
  if (objects.length === 0 && reported > 0) {
    await store[Symbol.asyncDispose]();
    ledger.setExportStatus(unit, 'GONE');
    throw new CrawlhouseError('cut_short', `${unit}: the objects of the data export ${done.id} are gone`);
  }
  const delimiter = done.output_format_parameters?.csv_delimiter ?? ',';
  const parts = extractExport({ store, objects, format: chosen.format, delimiter }, folder, signal);
  return { reported, catalogue: rows.catalogue, filter: null, parts: closing(parts, store) };
}

/**
 * The service writes to a bucket first, and what it says of one that it can't write to is free text. Where the store
 * tells us too that the bucket is not there, or in another region, the settings are wrong, and another try is in vain.
 */
async function wrongSettings(
  { settings, signal }: RunContext,
  target: Store,
  prefix: string,
  failed: CrawlhouseError,
): Promise<CrawlhouseError | null> {
  try {
    await using store = await openConfiguredStore(settings, target);
    await listObjects(store, prefix, signal);
  } catch (error) {
    if (error instanceof CrawlhouseError && error.code === 'bad_settings') {
      const { hint } = error;
      const message = `${error.message}; ${failed.message}`;
      return new CrawlhouseError('bad_settings', message, { cause: failed, ...(hint ? { hint } : {}) });
    }
    signal.throwIfAborted();
  }
  return null;
}

function workspaceOf({ workspaces }: Landscape, crawlId: string): string {
  const found = workspaces.find((workspace) => workspace.crawls.items.some((crawl) => crawl.id === crawlId));
  if (found === undefined) throw new Error(`no workspace has the crawl ${crawlId}`);
  return found.id;
}

/** The parts, and the store closed behind them. */
async function* closing<T, R>(parts: AsyncGenerator<T, R>, store: ObjectStore): AsyncGenerator<T, R> {
  try {
    return yield* parts;
  } finally {
    await store[Symbol.asyncDispose]();
  }
}
