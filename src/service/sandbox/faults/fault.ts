import { z } from 'zod';
import { readJsonFile } from '../../../core/files/read-json-file.ts';
import { withinTime } from '../../../core/time/within-time.ts';

const FAULT_KINDS = [
  'status',
  'reset',
  'truncate',
  'stall',
  'slow',
  'corrupt_gzip',
  'duplicate',
  'reorder',
] as const;

/** The place of a fault: the service itself, or one of the built-in object stores. */
const FAULT_PLACES = ['api', 'store_a', 'store_b'] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];

function isPattern(text: string): boolean {
  try {
    withinTime(() => new RegExp(text));
    return true;
  } catch {
    // The schema reports an invalid expression.
    return false;
  }
}

const pattern = z.string().refine(isPattern, 'is not a regular expression');

/** A fault on demand (interface.md, "The sandbox"). */
export const Fault = z.strictObject({
  match: z
    .strictObject({
      method: z.string().optional(),
      path: pattern.optional(),
      /** `api` by default. */
      at: z.enum(FAULT_PLACES).optional(),
    })
    .default({}),
  kind: z.enum(FAULT_KINDS),
  /** Bytes of the body on the wire before the fault strikes. */
  after_bytes: z.int().nonnegative().optional(),
  status: z.int().min(400).max(599).optional(),
  /** Seconds. */
  retry_after: z.int().nonnegative().optional(),
  /** The number of requests that it affects; absent: until it is deleted. */
  times: z.int().positive().optional(),
  /** For `slow`. */
  bytes_per_second: z.int().positive().optional(),
});
export type Fault = z.infer<typeof Fault>;

export const Faults = z.array(Fault);

/** @throws CrawlhouseError `usage` with the file and the fault */
export async function readFaults(file: string): Promise<readonly Fault[]> {
  const hint = 'an array of {match: {method?, path?}, kind, after_bytes?, status?, retry_after?, times?}';
  return await readJsonFile(file, Faults, { code: 'usage', hint });
}
