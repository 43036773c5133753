import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { durationText } from '../../../core/text/amounts.ts';
import { sleepWithoutSlot } from '../../../core/time/sleep-without-slot.ts';
import type { ServiceClient } from '../../../service/api/client/client.ts';
import {
  type DataExport,
  type DataExportInput,
  dataExportStage,
} from '../../../service/api/resources/data-exports.ts';
import type { LedgerExport } from '../../../state/ledger/ledger-facts.ts';

/** Waits between two polls of a data export, in milliseconds. They grow by half up to the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;

/** Our states after which a data export is not used again. */
export const OVER: readonly string[] = ['loaded', 'FAILED', 'GONE', 'UNUSABLE'];

/** Whether a data export of an earlier attempt serves one that wants this store and format. */
export function isUsable<T extends Pick<LedgerExport, 'store' | 'format' | 'status'>>(
  known: T | undefined,
  { store, format }: { readonly store: string | null; readonly format: string },
): known is T {
  return known?.store === store && known.format === format && !OVER.includes(known.status);
}

export interface ExportWatch {
  readonly workspaceId: string;
  /** Milliseconds that it is waited for. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called for each new state. */
  readonly onStatus: (status: string) => Promise<void>;
}

/**
 * The data export with this prefix, if there is one. A process may have been killed between the request and its answer,
 * or the ledger may be lost. Prefixes hold unit and attempt, so no other export is found.
 */
export async function findExport(
  client: ServiceClient,
  workspaceId: string,
  input: DataExportInput,
  isOurs: (prefix: string) => boolean,
  signal: AbortSignal,
): Promise<DataExport | undefined> {
  const filters = { field: ['resource_id', 'equals', input.resource_id] } as const;
  for await (const one of client.list(
    'dataExports',
    { workspace_id: workspaceId, query: { filters } },
    signal,
  )) {
    const same =
      one.target === input.target &&
      one.data_type === input.data_type &&
      one.output_format === input.output_format;
    if (same && dataExportStage(one.status) !== 'failed' && isOurs(prefixOf(one))) return one;
  }
  return undefined;
}

/** The place of a data export's objects, by its record. */
export function prefixOf({ target, target_parameters }: DataExport): string {
  const prefix = target_parameters?.[`${target}_prefix`];
  return typeof prefix === 'string' ? prefix : '';
}

/**
 * Waits until a data export is done.
 *
 * @throws CrawlhouseError `export_failed` with the service's reason, `timed_out`
 */
export async function awaitExport(
  client: ServiceClient,
  first: DataExport,
  { workspaceId, waitMs, signal, onStatus }: ExportWatch,
): Promise<DataExport> {
  let one = first;
  let seen = '';
  const deadline = host().monotonic() + waitMs;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
    if (one.status !== seen) await onStatus(one.status);
    seen = one.status;
    const stage = dataExportStage(one.status);
    if (stage === 'done') return one;
    if (stage === 'failed') {
      throw new CrawlhouseError(
        'export_failed',
        `the data export ${one.id} of ${one.resource_id} ended as ${one.status}: ${one.export_failure_reason ?? 'no reason given'}`,
        { hint: `check the bucket, its region and the credentials of ${one.target}` },
      );
    }
    const left = deadline - host().monotonic();
    if (left <= 0) {
      throw new CrawlhouseError(
        'timed_out',
        `the data export ${one.id} of ${one.resource_id} is still ${one.status} after ${durationText(waitMs / 1000)} (limits.export_wait)`,
        { hint: 'the next run waits for the same data export; limits.export_wait sets the longest wait' },
      );
    }
    await sleepWithoutSlot(Math.min(wait, left), signal);
    one = await client.call('dataExport', { workspace_id: workspaceId, data_export_id: one.id }, signal);
  }
}
