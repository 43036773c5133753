import type { Field } from '../../project/model/field.ts';
import { namesMatcher } from '../../project/model/included-keys.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { FieldRecord } from '../../service/api/fields.ts';

/** The projection: every field that can be displayed and that the pipeline includes (spec-notes.md 10). */
export function projectedFields(records: readonly FieldRecord[], fields: Pipeline['fields']): Field[] {
  const included = namesMatcher(fields.include);
  const excluded = namesMatcher(fields.exclude);
  return records
    .filter((record) => record.can_display !== false && included(record.name) && !excluded(record.name))
    .map(({ name, type, arity, values, can_filter, can_sort, description }) => ({
      name,
      type,
      arity: arity === 'many' ? 'many' : 'one',
      ...(values && values.length > 0 ? { values } : {}),
      ...(can_filter === false ? { can_filter } : {}),
      ...(can_sort === false ? { can_sort } : {}),
      ...(description ? { description } : {}),
    }));
}

/** The columns that a pipeline file declares, for sources without a fields endpoint. */
export function declaredFields(columns: Pipeline['columns']): Field[] {
  return Object.entries(columns).map(([name, column]) => {
    const {
      type = 'unknown',
      arity = 'one',
      values,
    } = typeof column === 'string' ? { type: column } : column;
    return { name, type, arity, ...(values ? { values } : {}) };
  });
}
