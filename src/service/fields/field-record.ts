import type { FieldEntry } from '../../client/fields/field-entry.ts';
import type { FieldRecord } from '../../client/resources/fields.ts';
import { type ValueKind, valueKind } from './column.ts';

const EQUALITY = ['has_value', 'has_no_value', 'equals', 'not_equals'];
const TEXT = [...EQUALITY, 'contains', 'startswith', 'endswith'];
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'];
const COUNTS = ['value_count', 'cardinality'];
const NUMBERS = ['min', 'max', 'avg', 'sum', ...COUNTS];

/** Actions of texts; values of type `string` have more. */
const ACTIONS: Readonly<Record<ValueKind, readonly string[]>> = {
  text: EQUALITY,
  bool: EQUALITY,
  number: ORDER,
  date: ORDER,
  datetime: ORDER,
  opaque: ['has_value', 'has_no_value'],
};

/** Returns a field schema record with the actions and methods that fit its type (api-spec.md §2.14). */
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

/**
 * Returns fields by their names, separated by spaces. Consecutive fields with the same properties are written together.
 */
export function recordsOf(runs: readonly Readonly<Parameters<typeof fieldRecord>>[]): readonly FieldRecord[] {
  return runs.flatMap(([names, ...rest]) => names.split(' ').map((name) => fieldRecord(name, ...rest)));
}

/** Returns the records of a table of fields. */
export function fieldRecords(fields: Readonly<Record<string, FieldEntry>>): readonly FieldRecord[] {
  return Object.entries(fields).map(([name, { type, arity, values }]) =>
    fieldRecord(name, type, arity, values),
  );
}
