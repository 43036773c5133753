import type { FieldRecord } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Fields of clusters of similar pages: size and average similarity are the specification's, the rest is ours. */
export const CLUSTER_CATALOGUE: readonly FieldRecord[] = [
  fieldRecord('cluster_id', 'hash'),
  fieldRecord('size', 'natural'),
  fieldRecord('average_similarity', 'percentage'),
  fieldRecord('canonical_status', 'enum', 'one', [
    'canonical_ok',
    'canonical_not_matching',
    'canonical_not_set',
  ]),
  fieldRecord('sample_urls', 'string', 'many'),
];
