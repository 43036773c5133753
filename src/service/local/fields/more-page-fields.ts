import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Page fields that real catalogues hold beyond the specification (wire-facts.md, "page fields beyond"). */
export const MORE_PAGE_FIELDS: readonly FieldRecord[] = [
  fieldRecord('indexable', 'bool'),
  fieldRecord('is_canonical', 'bool'),
  fieldRecord('page_group_section', 'enum'),
  fieldRecord('page_group_page type', 'string'),
  fieldRecord('canonicals', 'string', 'many'),
  fieldRecord('h2', 'string', 'many'),
  fieldRecord('h3', 'string', 'many'),
  fieldRecord('hreflang_languages', 'string', 'many'),
  fieldRecord('simhash', 'natural'),
  fieldRecord('ngrams', 'object'),
  fieldRecord('similar_pages', 'nested', 'many'),
  fieldRecord('ogp_title', 'string'),
  fieldRecord('ogp_type', 'string'),
  fieldRecord('twc_card', 'string'),
  fieldRecord('crawled_by_googlebot', 'bool'),
  fieldRecord('googlebot_hits', 'natural'),
  fieldRecord('gsc_clicks', 'natural'),
  fieldRecord('gsc_impressions', 'natural'),
  fieldRecord('gsc_position', 'float'),
  fieldRecord('gsc_ctr', 'percentage'),
];

const SYNTHETIC = [
  'natural',
  'string',
  'float',
  'bool',
  'percentage',
  'enum',
  'datetime',
  'hash',
  'date',
] as const;

/** The nth made-up field, for wider tables than any catalogue gives. */
export function syntheticField(n: number): FieldRecord {
  const type = SYNTHETIC[n % SYNTHETIC.length] ?? 'string';
  const name = `custom_${type}_${String(n + 1).padStart(3, '0')}`;
  return fieldRecord(name, type, 'one', type === 'enum' ? ['alpha', 'beta', 'gamma', 'delta'] : undefined);
}
