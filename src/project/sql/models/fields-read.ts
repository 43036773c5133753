import type { ReadField } from '../../../state/catalogue/raw/raw-table.ts';
import type { Model } from './model.ts';

/** The types that a field's column can have; what else is declared says nothing that a unit could be checked against. */
const TYPES: readonly string[] = [
  'BIGINT',
  'DOUBLE',
  'BOOLEAN',
  'VARCHAR',
  'DATE',
  'TIMESTAMP WITH TIME ZONE',
  'JSON',
];

/**
 * The fields of a dataset that models declare under `reads`, with the type that they read them as. One that two models
 * read as two types is left out, and so are our own columns.
 */
export function fieldsRead(models: readonly Model[], dataset: string): ReadonlyMap<string, ReadField> {
  const reads = new Map<string, ReadField>();
  const unclear = new Set<string>();
  for (const { file, reads: sources } of models) {
    for (const [field, declared] of sources.get(`raw.${dataset}`) ?? []) {
      const type = declared.toUpperCase();
      if (field.startsWith('_') || !TYPES.includes(type.replace(/\[\]$/, ''))) unclear.add(field);
      if (reads.has(field) && reads.get(field)?.type !== type) unclear.add(field);
      if (!reads.has(field)) reads.set(field, { type, file });
    }
  }
  return new Map([...reads].filter(([field]) => !unclear.has(field)));
}
