import { randomUUID } from 'node:crypto';
import type { DataExport, DataExportInput } from '../api/data-exports.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { awaitExport, findExport, prefixOf } from '../extract/data-export-job.ts';
import { extractExport } from '../extract/extract-export.ts';
import { unitName } from '../model/unit.ts';
import type { ObjectStore, StoredObject } from '../stores/object-store.ts';
import type { ChosenRoute, Store } from './choose-route.ts';
import { missing, openConfiguredStore } from './configured-stores.ts';
import type { RunContext } from './context.ts';
import type { Rows } from './open-rows.ts';
import type { Source } from './source.ts';
import { folderName } from './unit-folders.ts';

/** Of a CSV that we ask for; what comes is read by what its record says. */
const DELIMITER = ';';

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
  }).catch((error: unknown) => {
    if (error instanceof CrawlhouseError && error.code === 'export_failed')
      ledger.setExportStatus(unit, 'FAILED');
    throw error;
  });
  const reported = done.output_row_count ?? rows.reported;
  if (reported !== rows.reported) {
    throw new CrawlhouseError(
      'unreconciled',
      `${unit}: the service counts ${rows.reported} rows, its data export ${done.id} has ${reported}`,
    );
  }
  const store = await openConfiguredStore(settings, target);
  const objects = await listObjects(store, prefixOf(done), signal);
  if (objects.length === 0 && reported > 0) {
    ledger.setExportStatus(unit, 'GONE');
    throw new CrawlhouseError('cut_short', `${unit}: the objects of the data export ${done.id} are gone`);
  }
  const delimiter = done.output_format_parameters?.csv_delimiter ?? ',';
  const parts = extractExport({ store, objects, format: chosen.format, delimiter }, folder, signal);
  return { reported, catalogue: rows.catalogue, filter: null, parts: closing(parts, store) };
}

/**
 * Removes the objects of a loaded data export where the settings say so, and lets the next attempt ask for its own.
 */
export async function settleExport(context: RunContext, unit: string): Promise<void> {
  const { ledger, settings, signal } = context;
  const job = ledger.exports().find((one) => one.unit === unit);
  if (job === undefined || job.status === 'loaded') return;
  if (settings.keep_exports === 'never') {
    await using store = await openConfiguredStore(settings, job.store as Store);
    for (const object of await listObjects(store, job.prefix, signal)) await store.remove(object, signal);
  }
  ledger.setExportStatus(unit, 'loaded');
}

/** The attempt's data export: the one that is under way, or a new one. */
async function ensureExport(
  { client, ledger, settings, signal, reload }: RunContext,
  { unit, pipeline }: PlannedUnit,
  { format }: ChosenRoute,
  target: Store,
  workspaceId: string,
): Promise<DataExport> {
  const name = unitName(unit);
  const { prefix: root } = settings[target] ?? {};
  const base = `${root ? `${root}/` : ''}${folderName(name)}/`;
  const inputOf = (prefix: string): DataExportInput => ({
    data_type: pipeline.source.data_type === 'links' ? 'link' : 'page',
    resource_id: unit.source.id,
    output_format: format,
    ...(format === 'csv' ? { output_format_parameters: { csv_delimiter: DELIMITER } } : {}),
    target,
    target_parameters: targetParameters(target, settings, workspaceId, prefix),
    include_all_page_group_lists: true,
  });
  const known = ledger.exports().find((one) => one.unit === name);
  const usable =
    known?.store === target && known.format === format && !OVER.includes(known.status) ? known : undefined;
  if (usable?.data_export_id) return client.dataExport(workspaceId, usable.data_export_id, signal);
  // Without a record of an attempt, one that a lost ledger knew of may still stand there; not for a reload, which is to
  // ask anew.
  if (usable || (known === undefined && !reload)) {
    const isOurs = (prefix: string): boolean => (usable ? prefix === usable.prefix : prefix.startsWith(base));
    const found = await findExport(client, workspaceId, inputOf(usable?.prefix ?? base), isOurs, signal);
    const stands = found && (usable !== undefined || (await hasObjects(target, settings, found, signal)));
    if (found && stands) {
      ledger.putExport(record(name, target, format, prefixOf(found), found));
      return found;
    }
  }
  const prefix = usable?.prefix ?? `${base}${randomUUID()}/`;
  // Before the request: a kill from here on finds the export by its prefix.
  ledger.putExport({ ...record(name, target, format, prefix, undefined) });
  const created = await client.createDataExport(workspaceId, inputOf(prefix), signal);
  ledger.putExport(record(name, target, format, prefix, created));
  return created;
}

/** States of ours after which an attempt is not taken up again. */
const OVER: readonly string[] = ['loaded', 'FAILED', 'GONE'];

function record(unit: string, store: Store, format: string, prefix: string, created: DataExport | undefined) {
  return {
    unit,
    data_export_id: created?.id ?? null,
    store,
    format,
    prefix,
    status: created?.status ?? 'intended',
    requested_at: new Date(created?.requested_at ?? Date.now()).toISOString(),
  };
}

/** An export that is done but whose objects have gone is of no use. */
async function hasObjects(
  target: Store,
  settings: RunContext['settings'],
  found: DataExport,
  signal: AbortSignal,
): Promise<boolean> {
  if (!/^done$/i.test(found.status)) return true;
  if ((found.expiration_date ?? Number.POSITIVE_INFINITY) < Date.now()) return false;
  await using store = await openConfiguredStore(settings, target);
  return (await listObjects(store, prefixOf(found), signal)).length > 0 || found.output_row_count === 0;
}

function targetParameters(
  target: Store,
  settings: RunContext['settings'],
  workspaceId: string,
  prefix: string,
): DataExportInput['target_parameters'] {
  if (target === 'store_a') {
    return { store_a_bucket: settings.store_a?.bucket ?? '', store_a_prefix: prefix };
  }
  const { bucket = '', region, credentials_secret: secret } = settings.store_b ?? {};
  if (secret === undefined) throw missing('store_b.credentials_secret');
  if (region === undefined) throw missing('store_b.region');
  return {
    store_b_credentials: `secrets://${workspaceId}/${secret}`,
    store_b_bucket: bucket,
    store_b_region: region,
    store_b_prefix: prefix,
  };
}

function workspaceOf({ workspaces }: Landscape, crawlId: string): string {
  const found = workspaces.find((workspace) => workspace.crawls.items.some((crawl) => crawl.id === crawlId));
  if (found === undefined) throw new Error(`no workspace has the crawl ${crawlId}`);
  return found.id;
}

async function listObjects(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly StoredObject[]> {
  const objects = await Array.fromAsync(store.list(prefix, signal));
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The parts, and the store closed behind them. */
async function* closing<T, R>(parts: AsyncGenerator<T, R>, store: ObjectStore): AsyncGenerator<T, R> {
  try {
    return yield* parts;
  } finally {
    await store[Symbol.asyncDispose]();
  }
}
