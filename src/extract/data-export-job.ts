import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceClient } from '../api/client.ts';
import type { DataExport, DataExportInput } from '../api/data-exports.ts';
import { CrawlhouseError } from '../core/errors.ts';

/** Waits between two looks at a data export, in milliseconds: they grow by half until the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 60_000;

/** States are open strings (wire-facts.md): one that speaks of failure is one. */
const FAILED = /fail|error|cancel|abort|expired/i;
const DONE = /^(done|completed?|finished|success(ful)?)$/i;

export function isDone(status: string): boolean {
  return DONE.test(status);
}

export interface ExportWatch {
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Told of each state that is new. */
  readonly onStatus: (status: string) => void;
}

/**
 * The data export that already goes to this prefix, if there is one: a kill may have fallen between the request and
 * its answer, or the ledger is lost. Prefixes hold unit and attempt, so nobody else's is found.
 */
export async function findExport(
  client: ServiceClient,
  workspaceId: string,
  input: DataExportInput,
  isOurs: (prefix: string) => boolean,
  signal: AbortSignal,
): Promise<DataExport | undefined> {
  const filters = { field: ['resource_id', 'equals', input.resource_id] } as const;
  for await (const one of client.dataExports(workspaceId, { filters }, signal)) {
    const same =
      one.target === input.target &&
      one.data_type === input.data_type &&
      one.output_format === input.output_format;
    if (same && !FAILED.test(one.status) && isOurs(prefixOf(one))) return one;
  }
  return undefined;
}

/** Where a data export's objects stand, as its record says. */
export function prefixOf({ target, target_parameters }: DataExport): string {
  const prefix = target_parameters?.[`${target}_prefix`];
  return typeof prefix === 'string' ? prefix : '';
}

/**
 * Waits until a data export is done.
 *
 * @throws CrawlhouseError `export_failed` with the service's reason
 */
export async function awaitExport(
  client: ServiceClient,
  first: DataExport,
  { workspaceId, signal, onStatus }: ExportWatch,
): Promise<DataExport> {
  let one = first;
  let seen = '';
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
    if (one.status !== seen) onStatus(one.status);
    seen = one.status;
    if (isDone(one.status)) return one;
    if (FAILED.test(one.status)) {
      throw new CrawlhouseError(
        'export_failed',
        `the data export ${one.id} of ${one.resource_id} ended as ${one.status}: ${one.export_failure_reason ?? 'no reason given'}`,
        { hint: `check the bucket, its region and the credentials of ${one.target}` },
      );
    }
    await sleep(wait, undefined, { signal });
    one = await client.dataExport(workspaceId, one.id, signal);
  }
}
