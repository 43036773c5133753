import type { FieldRecord } from '../../api/fields.ts';

const TYPES: Readonly<Record<string, string>> = {
  created_at: 'natural',
  requested_at: 'natural',
  size_bytes: 'natural',
  row_count: 'natural',
  status: 'enum',
};
const MANY = new Set(['features']);

/** The field record that a list's sort and filter field behaves as; every filter type that fits its type is allowed. */
export function listField(name: string): FieldRecord {
  return { name, type: TYPES[name] ?? 'string', arity: MANY.has(name) ? 'many' : 'one' };
}
