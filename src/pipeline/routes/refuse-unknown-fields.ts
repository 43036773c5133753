import { CrawlhouseError } from '../../core/errors.ts';
import { nearNames } from '../../core/nearest-name.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import { dataSourceOf } from '../../project/model/unit-source.ts';
import { pipelinePlace } from '../../project/settings/pipelines.ts';
import type { FieldRecord } from '../../service/api/fields.ts';
import type { FieldSchemaCache } from './field-schema-cache.ts';

/** What is known of the fields of a project's datasets. */
export interface KnownFields {
  readonly projectDir: string;
  readonly fieldSchemas: FieldSchemaCache;
  /** Those that a dataset was loaded with. */
  readonly loadedFields: (dataset: string) => Promise<ReadonlySet<string>>;
}

/**
 * Refuses a name in a pipeline's `include` that neither the warehouse nor any due unit's field schema has. Asks only
 * for the schemas that are needed to find every name, the newest first.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and near names
 */
export async function refuseUnknownFields(
  known: KnownFields,
  units: readonly PlannedUnit[],
  signal: AbortSignal,
): Promise<void> {
  for (const [dataset, own] of Map.groupBy(units.filter(isReadable), ({ unit }) => unit.dataset)) {
    const pipeline = own[0]?.pipeline;
    if (pipeline === undefined) continue;
    const { include } = pipeline.fields;
    let unknown = unknownNames(pipeline, new Set());
    if (unknown.length > 0) unknown = unknownNames(pipeline, await known.loadedFields(dataset));
    const seen = new Set<string>();
    for (const planned of own.toReversed()) {
      if (unknown.length === 0) break;
      const schema = await schemaOf(known.fieldSchemas, planned, signal);
      // Where one can't be told, another may have the name.
      if (schema === null) unknown = [];
      for (const { name, can_display } of schema ?? []) if (can_display !== false) seen.add(name);
      unknown = without(unknown, seen);
    }
    const [name] = unknown;
    // Where the service shows no field of any unit, the pipeline file is not to blame: each unit says so by itself.
    if (name !== undefined && seen.size > 0)
      throw await unknownField(known.projectDir, { dataset, include, name }, [...seen]);
  }
}

/** Whether a unit's fields can be read as it is. */
export function isReadable({ skip, failure, restore }: PlannedUnit): boolean {
  return skip === null && failure === null && restore === null;
}

/** The names of a pipeline's `include` that are not among the known ones. */
export function unknownNames({ fields }: Pipeline, known: ReadonlySet<string>): string[] {
  return without(
    fields.include.filter((name) => !name.includes('*')),
    known,
  );
}

function without(names: readonly string[], found: ReadonlySet<string>): string[] {
  return names.filter((name) => !found.has(name));
}

/** Null where the service lists no fields, or not now: the unit's own work meets the same and says why. */
async function schemaOf(
  fieldSchemas: FieldSchemaCache,
  { pipeline, unit }: PlannedUnit,
  signal: AbortSignal,
): Promise<readonly FieldRecord[] | null> {
  const source = dataSourceOf(pipeline, unit);
  try {
    return source && (await fieldSchemas.of(source));
  } catch {
    // The unit's own work meets the same and says why.
    signal.throwIfAborted();
    return null;
  }
}

async function unknownField(
  projectDir: string,
  {
    dataset,
    include,
    name,
  }: { readonly include: Pipeline['fields']['include'] } & Readonly<Record<'dataset' | 'name', string>>,
  fields: readonly string[],
): Promise<CrawlhouseError> {
  const place = await pipelinePlace(projectDir, dataset, ['fields', 'include', include.indexOf(name)]);
  const near = nearNames(name, fields);
  return new CrawlhouseError('bad_pipeline', `${place}: the service has no field ${name} for ${dataset}`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `remove it, or name one of the ${fields.length} fields that the service lists, such as ${fields.slice(0, 5).join(', ')}`,
  });
}
