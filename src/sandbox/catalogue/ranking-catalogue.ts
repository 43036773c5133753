import type { FieldRecord } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Ranking performance (api-spec.md §2.13, "Field catalog"). */
export const RANKING_CATALOGUE: readonly FieldRecord[] = [fieldRecord('url', 'string')];
