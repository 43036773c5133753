import type { FieldRecord } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Compared pages; nothing public shows their fields (wire-facts.md): ours. */
export const CRAWL_OVER_CRAWL_CATALOGUE: readonly FieldRecord[] = [fieldRecord('url', 'string')];
