import type { FieldRecord, Granularity } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Lines of log files; nothing public shows their fields (wire-facts.md): ours. */
export const LOG_EVENT_CATALOGUE: readonly FieldRecord[] = [fieldRecord('url', 'string')];

export const LOG_PAGE_CATALOGUES: Readonly<Record<Granularity, readonly FieldRecord[]>> = {
  days: [fieldRecord('url', 'string'), fieldRecord('day', 'date')],
  weeks: [fieldRecord('url', 'string'), fieldRecord('week', 'string')],
  months: [fieldRecord('url', 'string'), fieldRecord('month', 'string')],
};
