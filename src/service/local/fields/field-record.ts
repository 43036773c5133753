import type { FieldRecord } from '../../api/resources/fields.ts';
import { type ValueKind, valueKind } from './column.ts';

const EQUALITY = ['has_value', 'has_no_value', 'equals', 'not_equals'];
const TEXT = [...EQUALITY, 'contains', 'startswith', 'endswith'];
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'];
const COUNTS = ['value_count', 'cardinality'];
const NUMBERS = ['min', 'max', 'avg', 'sum', ...COUNTS];

/** Of texts, those of `string` have more. */
const ACTIONS: Readonly<Record<ValueKind, readonly string[]>> = {
  text: EQUALITY,
  bool: EQUALITY,
  number: ORDER,
  date: ORDER,
  datetime: ORDER,
  opaque: ['has_value', 'has_no_value'],
};

/** A field schema record with the actions and methods that fit its type (api-spec.md §2.14). */
export function fieldRecord(
  name: string,
  type: string,
  arity: 'one' | 'many' = 'one',
  values?: readonly string[],
): FieldRecord {
  const kind = valueKind({ type });
  const plain = kind !== 'opaque';
  return {
    name,
    type,
    arity,
    ...(values === undefined ? {} : { values: [...values] }),
    actions: [...(type === 'string' ? TEXT : ACTIONS[kind])],
    agg_dimension: plain,
    agg_metric_methods: [...(kind === 'number' ? NUMBERS : COUNTS)],
    can_display: true,
    can_filter: plain,
    can_sort: plain && arity === 'one',
  };
}

/** Fields by their names, apart by spaces; those that follow one another and are alike stand together. */
export function recordsOf(runs: readonly Readonly<Parameters<typeof fieldRecord>>[]): readonly FieldRecord[] {
  return runs.flatMap(([names, ...rest]) => names.split(' ').map((name) => fieldRecord(name, ...rest)));
}
