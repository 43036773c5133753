import { lookUp } from '../../../core/text/look-up.ts';
import type { FieldRecord } from '../../api/resources/fields.ts';

const EQUALITY = ['has_value', 'has_no_value', 'equals', 'not_equals'];
const TEXT = [...EQUALITY, 'contains', 'startswith', 'endswith'];
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'];
const PRESENCE = ['has_value', 'has_no_value'];
const COUNTS = ['value_count', 'cardinality'];
const NUMBERS = ['min', 'max', 'avg', 'sum', ...COUNTS];

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  string: TEXT,
  enum: EQUALITY,
  hash: EQUALITY,
  bool: EQUALITY,
  natural: ORDER,
  integer: ORDER,
  float: ORDER,
  percentage: ORDER,
  ratio: ORDER,
  date: ORDER,
  datetime: ORDER,
};

const NUMERIC = new Set(['natural', 'integer', 'float', 'percentage', 'ratio']);

/** A field schema record with the actions and methods that fit its type (api-spec.md §2.14). */
export function fieldRecord(
  name: string,
  type: string,
  arity: 'one' | 'many' = 'one',
  values?: readonly string[],
): FieldRecord {
  const plain = Object.hasOwn(ACTIONS, type);
  return {
    name,
    type,
    arity,
    ...(values === undefined ? {} : { values: [...values] }),
    actions: [...(lookUp(ACTIONS, type) ?? PRESENCE)],
    agg_dimension: plain,
    agg_metric_methods: [...(NUMERIC.has(type) ? NUMBERS : COUNTS)],
    can_display: true,
    can_filter: plain,
    can_sort: plain && arity === 'one',
  };
}

/** Fields by their names, apart by spaces; those that follow one another and are alike stand together. */
export function recordsOf(runs: readonly Readonly<Parameters<typeof fieldRecord>>[]): readonly FieldRecord[] {
  return runs.flatMap(([names, ...rest]) => names.split(' ').map((name) => fieldRecord(name, ...rest)));
}
