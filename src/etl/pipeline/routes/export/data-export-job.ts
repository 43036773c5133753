import type { ServiceClient } from '../../../../client/http/service-client.ts';
import {
  type DataExport,
  type DataExportInput,
  dataExportStage,
} from '../../../../client/resources/data-exports.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { host } from '../../../../core/host/host.ts';
import { durationText } from '../../../../core/text/amounts.ts';
import { sleepWithoutSlot } from '../../../../core/time/sleep-without-slot.ts';
import type { LedgerExport } from '../../../state/ledger/ledger-facts.ts';

/**
 * Waits between two polls of a data export, in milliseconds. Each wait is one and a half times as long as the previous
 * one, up to the longest.
 */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;

/** Statuses of crawlhouse after which a data export is not used again. */
export const OVER: readonly string[] = ['loaded', 'FAILED', 'GONE', 'UNUSABLE'];

/** Returns whether a data export of an earlier attempt suits one with this store and format. */
export function isUsable<T extends Pick<LedgerExport, 'store' | 'format' | 'status'>>(
  recorded: T | undefined,
  { store, format }: { readonly store: string | null; readonly format: string },
): recorded is T {
  return recorded?.store === store && recorded.format === format && !OVER.includes(recorded.status);
}

export interface ExportWatch {
  readonly workspaceId: string;
  /** Time limit in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called for each new state. */
  readonly onStatus: (status: string) => Promise<void>;
}

/**
 * Finds the data export with this prefix, if any. A process may have been killed between the request and its response,
 * or the ledger may be lost. Prefixes contain unit and attempt, so no other export matches.
 */
export async function findExport(
  client: ServiceClient,
  workspaceId: string,
  input: DataExportInput,
  isOurs: (prefix: string) => boolean,
  signal: AbortSignal,
): Promise<DataExport | undefined> {
  const filters = { field: ['resource_id', 'equals', input.resource_id] } as const;
  for await (const job of client.list(
    'dataExports',
    { workspace_id: workspaceId, query: { filters } },
    signal,
  )) {
    const same =
      job.target === input.target &&
      job.data_type === input.data_type &&
      job.output_format === input.output_format;
    if (same && dataExportStage(job.status) !== 'failed' && isOurs(prefixOf(job))) return job;
  }
  return undefined;
}

/** Returns the place of a data export's objects, from its record. */
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
  let job = first;
  let seen = '';
  const deadline = host().monotonic() + waitMs;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
    if (job.status !== seen) await onStatus(job.status);
    seen = job.status;
    const stage = dataExportStage(job.status);
    if (stage === 'done') return job;
    if (stage === 'failed') {
      throw new CrawlhouseError(
        'export_failed',
        `the data export ${job.id} of ${job.resource_id} ended as ${job.status}: ${job.export_failure_reason ?? 'no reason given'}`,
        { hint: `check the bucket, its region and the credentials of ${job.target}` },
      );
    }
    const left = deadline - host().monotonic();
    if (left <= 0) {
      throw new CrawlhouseError(
        'timed_out',
        `the data export ${job.id} of ${job.resource_id} is still ${job.status} after ${durationText(waitMs / 1000)} (limits.export_wait)`,
        { hint: 'the next run waits for the same data export; limits.export_wait sets the maximum wait' },
      );
    }
    await sleepWithoutSlot(Math.min(wait, left), signal);
    job = await client.call('dataExport', { workspace_id: workspaceId, data_export_id: job.id }, signal);
  }
}
