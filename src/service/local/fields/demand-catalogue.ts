import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord } from './field-record.ts';
import { RANKING_CATALOGUE } from './ranking-catalogue.ts';

const SPECIFIED = ['url', 'query', 'date', 'device', 'clicks', 'impressions', 'position'];

/**
 * Ranking performance of files that were added: the specification's fields (api-spec.md §2.13), then ours. A country may
 * have any value. Rows of days and URLs have no `period_days`. Totals have it: the number of their days, of which `date`
 * is the last, and in `totals_by` the dimensions that they are counted by.
 */
export const DEMAND_CATALOGUE: readonly FieldRecord[] = [
  ...RANKING_CATALOGUE.filter(({ name }) => SPECIFIED.includes(name)),
  dimension('country', 'string'),
  dimension('period_days', 'natural'),
  dimension('totals_by', 'string'),
  dimension('search_engine', 'string'),
  dimension('is_anonymized', 'bool'),
];

function dimension(name: string, type: string): FieldRecord {
  return { ...fieldRecord(name, type), agg_metric_methods: ['cardinality'] };
}
