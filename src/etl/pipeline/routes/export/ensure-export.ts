import {
  type DataExport,
  type DataExportInput,
  dataExportStage,
} from '../../../../client/resources/data-exports.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { host, timestamp } from '../../../../core/host/host.ts';
import { listObjects } from '../../../../core/stores/list-objects.ts';
import { exportParameters, openConfiguredStore, type StoreName } from '../../../../core/stores/registry.ts';
import { folderName } from '../../../project/model/column-name.ts';
import type { Task } from '../../../project/model/task.ts';
import type { LedgerExport } from '../../../state/ledger/ledger-facts.ts';
import type { ChosenRoute, RouteContext } from '../route.ts';
import { findExport, isUsable, prefixOf } from './data-export-job.ts';

/** The delimiter of the requested CSV. The record of the export contains the actual one. */
const DELIMITER = ';';

interface ExportDestination {
  readonly format: ChosenRoute['format'];
  readonly target: StoreName;
  /** Workspace of the crawl. */
  readonly workspaceId: string;
}

/** Returns the attempt's data export, either the one in progress or a new one, and whether it was just requested. */
export async function ensureExport(
  { client, ledger, settings, signal, reload, runId }: RouteContext,
  { unit, name, pipeline }: Task,
  { format, target, workspaceId }: ExportDestination,
): Promise<{ readonly requested: DataExport; readonly isNew: boolean }> {
  const { prefix: root } = settings[target] ?? {};
  const base = `${root ? `${root}/` : ''}${folderName(name)}/`;
  const inputOf = (prefix: string): DataExportInput => ({
    data_type: pipeline.source.data_type === 'links' ? 'link' : 'page',
    resource_id: unit.source.id,
    output_format: format,
    ...(format === 'csv' ? { output_format_parameters: { csv_delimiter: DELIMITER } } : {}),
    target,
    target_parameters: exportParameters(settings, target, workspaceId, prefix),
    include_all_page_group_lists: true,
  });
  const record = (prefix: string, created: DataExport | undefined): LedgerExport => ({
    unit: name,
    data_export_id: created?.id ?? null,
    store: target,
    format,
    prefix,
    status: created?.status ?? 'intended',
    requested_at: timestamp(),
    run_id: runId,
  });
  const recorded = await ledger.exportOf(name);
  let usable = isUsable(recorded, { store: target, format }) ? recorded : undefined;
  if (usable?.data_export_id) {
    const running = await client
      .call('dataExport', { workspace_id: workspaceId, data_export_id: usable.data_export_id }, signal)
      .catch((error: unknown) => {
        // The service keeps its exports for a limited time. One that it no longer has was not loaded in time.
        if (error instanceof CrawlhouseError && error.code === 'not_found') return undefined;
        throw error;
      });
    if (running) {
      await ledger.claimExport(name, runId);
      return { requested: running, isNew: false };
    }
    usable = undefined;
  }
  // Without a record of an attempt, an export of a lost ledger may still exist. A reload requests a new one.
  if (usable || (recorded === undefined && !reload)) {
    const isOurs = (prefix: string): boolean => (usable ? prefix === usable.prefix : prefix.startsWith(base));
    const present = await findExport(client, workspaceId, inputOf(usable?.prefix ?? base), isOurs, signal);
    const stands = present && (usable !== undefined || (await hasObjects(target, settings, present, signal)));
    if (present && stands) {
      await ledger.putExport(record(prefixOf(present), present));
      return { requested: present, isNew: false };
    }
  }
  // Each attempt has its own prefix. Otherwise the objects of a failed export would count as rows of the next.
  const prefix = `${base}${host().uuid()}/`;
  // Before the request: a kill from here on finds the export by its prefix.
  await ledger.putExport(record(prefix, undefined));
  const body = { data_export: inputOf(prefix) };
  const created = await client
    .call('createDataExport', { workspace_id: workspaceId, body }, signal)
    .catch(async (error: unknown) => {
      // Otherwise the next attempt would look for it, and prefer a data export to the stream.
      if (isAnswered(error)) await ledger.setExportStatus(name, 'FAILED');
      throw error;
    });
  await ledger.putExport(record(prefix, created));
  return { requested: created, isNew: true };
}

/** Returns whether the service refused, so that there is no data export. After other errors there may be one. */
function isAnswered(error: unknown): boolean {
  return error instanceof CrawlhouseError && ['refused', 'access', 'forbidden', 'skip'].includes(error.kind);
}

/** Returns whether the objects of a finished export still exist. Without them, the export is useless. */
async function hasObjects(
  target: StoreName,
  settings: RouteContext['settings'],
  present: DataExport,
  signal: AbortSignal,
): Promise<boolean> {
  if (dataExportStage(present.status) !== 'done') return true;
  if ((present.expiration_date ?? Number.POSITIVE_INFINITY) < host().now()) return false;
  await using store = await openConfiguredStore(settings, target);
  return (await listObjects(store, prefixOf(present), signal)).length > 0 || present.output_row_count === 0;
}
