import { counted, sumOfKnown } from '../../../core/text/amounts.ts';
import type { FieldChange } from '../../../etl/state/catalog/ops/ops-schema-changes.ts';
import { detailsOf, earliest, type Incident } from './incident.ts';

/** Finds schema changes, one incident for each project and dataset. It ends after a later run without a change. */
export function findSchemaChanges(
  changes: readonly FieldChange[],
  nameOf: (projectId: string) => string,
): Incident[] {
  const groups = Map.groupBy(changes, ({ project_id, dataset }) => `schema/${project_id}/${dataset}`);
  return [...groups].map(([key, own]) => {
    const { project_id, dataset } = own[0] as FieldChange;
    const whose = project_id === null ? '' : `${nameOf(project_id)}: `;
    const hasVariant = own.some(({ change }) => change === 'variant');
    return {
      key,
      event: 'schema',
      title: `${whose}fields of ${dataset} changed`,
      details: detailsOf(lines(own)),
      project_id,
      began: earliest(own.map(({ changed_at }) => changed_at)),
      hint: hasVariant
        ? 'query the variant columns too, or set retype: allow for the field in the pipeline file and reload'
        : 'check the queries that read these fields; the next run without a change ends this incident',
    };
  });
}

/** Returns one line per change, whatever the number of units with it. */
function lines(changes: readonly FieldChange[]): string[] {
  const variants = new Set(changes.filter(({ change }) => change === 'variant').map(({ field }) => field));
  const shown = changes.filter(
    ({ change, field }) => !variants.has(field) || (change !== 'retyped' && change !== 'arity'),
  );
  const same = Map.groupBy(shown, ({ field, change, before, after }) =>
    JSON.stringify([field, change, before, after]),
  );
  return [...same.values()].map((all) => {
    const { field, change, before, after, column_name } = all[0] as FieldChange;
    if (change === 'added') return `${field} is new (${after})`;
    if (change === 'vanished') return `${field} is gone (${before})`;
    if (change !== 'variant') return `${field}: ${before} became ${after}`;
    const counts = all.map(({ value_count }) => value_count ?? null);
    const values = counts.includes(null) ? 'its values' : counted(sumOfKnown(counts) ?? 0, 'value');
    return `${field} came as ${after} instead of ${before}: ${values} in ${column_name}`;
  });
}
