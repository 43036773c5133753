import type { Limits } from '../../../core/net/download-limits.ts';
import { bytesOf } from '../../../core/text/amounts.ts';
import type { Settings } from './settings.ts';

const MINUTE = 60_000;

export type LimitSettings = Pick<Settings, 'limits'>;

/** Returns the `limits` setting in bytes and milliseconds. */
export function limitsOf({ limits }: LimitSettings): Limits {
  return {
    answer: bytesOf(limits.answer),
    record: bytesOf(limits.record),
    fields: limits.fields,
    bytesPerRow: bytesOf(limits.bytes_per_row),
    rate: limits.rate,
    exportWait: limits.export_wait * MINUTE,
    unarchiveWait: limits.unarchive_wait * MINUTE,
    unitTime: limits.unit_time * MINUTE,
    unitRate: limits.unit_rate,
  };
}
