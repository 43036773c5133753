import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord } from './field-record.ts';

export const RANKING_DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export const RANKING_COUNTRIES = ['usa', 'gbr', 'fra', 'deu', 'esp', 'jpn'] as const;

/**
 * Ranking performance: the specification's seven fields (api-spec.md §2.13, "Field catalog"), then ours. `sum` adds up,
 * `weighted_average` and `ctr` have one field each (§4.2), `cardinality` counts the different values.
 */
export const RANKING_CATALOGUE: readonly FieldRecord[] = [
  dimension('url', 'string'),
  dimension('query', 'string'),
  dimension('date', 'date'),
  dimension('device', 'enum', RANKING_DEVICES),
  metric('clicks', 'natural', ['sum', 'cardinality', 'ctr']),
  metric('impressions', 'natural', ['sum', 'cardinality']),
  metric('position', 'float', ['cardinality', 'weighted_average']),
  dimension('country', 'enum', RANKING_COUNTRIES),
  dimension('is_branded', 'bool'),
];

function dimension(name: string, type: string, values?: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type, 'one', values), agg_metric_methods: ['cardinality'] };
}

function metric(name: string, type: string, methods: readonly string[]): FieldRecord {
  return { ...fieldRecord(name, type), agg_dimension: false, agg_metric_methods: [...methods] };
}
