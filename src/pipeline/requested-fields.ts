import type { FieldRecord } from '../api/fields.ts';
import type { Field } from '../model/field.ts';
import type { Pipeline } from '../model/pipeline.ts';

/** The fields that are asked for by name: every one that can be displayed and the pipeline includes (spec-notes.md 10). */
export function requestedFields(records: readonly FieldRecord[], fields: Pipeline['fields']): Field[] {
  const included = matcher(fields.include);
  const excluded = matcher(fields.exclude);
  return records
    .filter((record) => record.can_display !== false && included(record.name) && !excluded(record.name))
    .map(({ name, type, arity, values }) => ({
      name,
      type,
      arity: arity === 'many' ? 'many' : 'one',
      ...(values && values.length > 0 ? { values } : {}),
    }));
}

/** A record of a list with the keys that the pipeline includes; keys that it does not declare are among them. */
export function includedKeys<T extends Readonly<Record<string, unknown>>>(
  record: T,
  fields: Pipeline['fields'],
): T {
  const included = matcher(fields.include);
  const excluded = matcher(fields.exclude);
  const kept = Object.entries(record).filter(([key]) => included(key) && !excluded(key));
  return Object.fromEntries(kept) as T;
}

/** The columns that a pipeline file declares, for sources without a fields endpoint. */
export function declaredFields(columns: Pipeline['columns']): Field[] {
  return Object.entries(columns).map(([name, column]) =>
    typeof column === 'string' ? { name, type: column, arity: 'one' } : { name, ...column },
  );
}

/** Names as written, `*` standing for any run of characters. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((part) => RegExp.escape(part))
          .join('.*')}$`,
        'su',
      ),
  );
  return (name) => expressions.some((expression) => expression.test(name));
}
