import { dataExportStage } from '../../../../client/resources/data-exports.ts';
import { type CrawlhouseError, toCrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { listObjects } from '../../../../core/stores/list-objects.ts';
import { openConfiguredStore, type StoreName, type StoreSettings } from '../../../../core/stores/registry.ts';
import type { FormerLoad } from '../../../project/model/former-load.ts';
import type { Ledger } from '../../../state/ledger/ledger.ts';
import type { LedgerExport } from '../../../state/ledger/ledger-facts.ts';
import { OVER } from './data-export-job.ts';

/** Whether exports are kept, and the stores that they are in. */
export interface ExportSettings extends StoreSettings {
  readonly keep_exports: 'always' | 'never';
}

export interface ReconcileContext {
  readonly ledger: Ledger;
  readonly settings: ExportSettings;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Finishes the data exports whose rows are in the published warehouse. Removes their objects if the settings require
 * it; the next attempt requests its own export. This happens after the publication because the working copy may be lost
 * before it, and the objects are then read again instead of requesting a second data export. A process may be killed
 * before this step, so each run begins with the exports that the previous run left.
 */
export async function reconcileExports(
  context: ReconcileContext,
  loaded: ReadonlyMap<string, FormerLoad>,
): Promise<void> {
  for (const job of await context.ledger.exports()) {
    const load = loaded.get(job.unit);
    // By the run that loaded them, not by the time, because clocks can be set back.
    const isIts = load?.published && load.run_id !== null && load.run_id === job.run_id;
    if (isIts && !OVER.includes(job.status)) await finishExport(context, job);
  }
}

/**
 * Finishes a data export. If a store refuses to remove objects, only logs a warning, because the rows are in the
 * warehouse.
 */
async function finishExport(
  { ledger, settings, signal, logger }: ReconcileContext,
  job: LedgerExport,
): Promise<void> {
  if (settings.keep_exports === 'never') {
    try {
      await using store = await openConfiguredStore(settings, job.store as StoreName);
      for (const object of await listObjects(store, job.prefix, signal)) await store.remove(object, signal);
    } catch (error) {
      // The next run does the rest.
      if (signal.aborted) return;
      logger.warn('objects of a loaded data export stay in the store', {
        unit: job.unit,
        prefix: job.prefix,
        error: toCrawlhouseError(error).message,
      });
    }
  }
  await ledger.setExportStatus(job.unit, 'loaded');
}

/**
 * Ends an attempt whose data export is done, but whose objects do not match its record. The next run requests another
 * one.
 */
export async function abandonExport(
  { ledger }: Pick<ReconcileContext, 'ledger'>,
  unit: string,
  error: CrawlhouseError,
): Promise<void> {
  const job = await ledger.exportOf(unit);
  if (job && dataExportStage(job.status) === 'done' && UNUSABLE.includes(error.code))
    await ledger.setExportStatus(unit, 'UNUSABLE');
}

/** Errors of rows or bytes that persist after complete and repeated reads. */
const UNUSABLE: readonly string[] = [
  'unreconciled',
  'cut_short',
  'object_corrupt',
  'contract_broken',
  'test_held',
  'model_held',
];
