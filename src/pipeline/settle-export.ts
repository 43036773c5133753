import { type CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import { isDone } from '../extract/data-export-job.ts';
import { listObjects } from '../stores/list-objects.ts';
import type { Store } from './choose-route.ts';
import { openConfiguredStore } from './configured-stores.ts';
import type { RunContext } from './context.ts';
import { OVER } from './ensure-export.ts';

/**
 * Removes the objects of a loaded data export where the settings say so, and lets the next attempt ask for its own. The
 * rows are in the warehouse: a store that won't have its objects removed is told of, and fails nothing.
 */
export async function settleExport(context: RunContext, unit: string): Promise<void> {
  const { ledger, settings, signal, logger } = context;
  const job = ledger.exports().find((one) => one.unit === unit);
  if (job === undefined || job.status === 'loaded') return;
  if (settings.keep_exports === 'never') {
    try {
      await using store = await openConfiguredStore(settings, job.store as Store);
      for (const object of await listObjects(store, job.prefix, signal)) await store.remove(object, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('objects of a loaded data export stay in the store', {
        unit,
        prefix: job.prefix,
        error: toCrawlhouseError(error).message,
      });
    }
  }
  ledger.setExportStatus(unit, 'loaded');
}

/** A kill may fall between a load and what comes after it: exports whose rows the warehouse has are settled now. */
export async function settleExports(
  context: RunContext,
  loaded: ReadonlyMap<string, { readonly route: string; readonly loaded_at: string }>,
): Promise<void> {
  for (const { unit, status, requested_at } of context.ledger.exports()) {
    const load = loaded.get(unit);
    const isHeld = load?.route === 'export' && Date.parse(load.loaded_at) >= Date.parse(requested_at);
    if (isHeld && !OVER.includes(status)) await settleExport(context, unit);
  }
}

/**
 * Ends an attempt whose data export is done but whose objects are not what the service says of them: the next run asks
 * for another one.
 */
export function abandonExport({ ledger }: RunContext, unit: string, error: CrawlhouseError): void {
  const job = ledger.exports().find((one) => one.unit === unit);
  if (job && isDone(job.status) && UNUSABLE.includes(error.code)) ledger.setExportStatus(unit, 'UNUSABLE');
}

/** Errors of rows or bytes that have been read to their end, again and again. */
const UNUSABLE: readonly string[] = ['unreconciled', 'cut_short', 'object_corrupt', 'contract_broken'];
