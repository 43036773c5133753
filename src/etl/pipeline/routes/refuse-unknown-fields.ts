import type { Oql } from '../../../client/oql/oql.ts';
import { parseOql } from '../../../client/oql/parse-oql.ts';
import type { FieldRecord } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { nearNames } from '../../../core/text/nearest-name.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Task } from '../../project/model/task.ts';
import { dataSourceOf } from '../../project/model/unit-source.ts';
import { pipelinePlace } from '../../project/settings/pipelines.ts';
import type { FieldSchemaCache } from './field-schema-cache.ts';

export interface KnownFields {
  readonly projectDir: string;
  readonly fieldSchemas: FieldSchemaCache;
  readonly loadedFields: (dataset: string) => Promise<ReadonlySet<string>>;
}

/** A field that a pipeline file names. */
interface NamedField {
  readonly name: string;
  /** The place of its entry in the file. */
  readonly path: readonly PropertyKey[];
  /**
   * Whether it is an exception. A crawl may lack the field, so the name is refused only if a field has a similar name.
   */
  readonly isException: boolean;
}

/**
 * Refuses a field that a pipeline names if neither the warehouse nor any due unit's field schema has it. Requests only
 * the schemas that are needed to find every name, newest first.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and similar names
 */
export async function refuseUnknownFields(
  known: KnownFields,
  units: readonly Task[],
  signal: AbortSignal,
): Promise<void> {
  for (const [dataset, own] of Map.groupBy(units.filter(isReadable), ({ unit }) => unit.dataset)) {
    const pipeline = own[0]?.pipeline;
    if (pipeline === undefined) continue;
    let unknown = unknownNames(pipeline, new Set());
    if (unknown.length > 0) unknown = unknownNames(pipeline, await known.loadedFields(dataset));
    const shown = new Set<string>();
    for (const task of own.toReversed()) {
      if (unknown.length === 0) break;
      const schema = await schemaOf(known.fieldSchemas, task, signal);
      // If one schema is unavailable, another may have the name.
      if (schema === null) unknown = [];
      for (const { name, can_display } of schema ?? []) if (can_display !== false) shown.add(name);
      const all = new Set(schema?.map(({ name }) => name));
      unknown = unknown.filter(({ name, isException }) => !(isException ? all : shown).has(name));
    }
    const fields = [...shown];
    const wrong = unknown.find(({ name, isException }) => !isException || nearNames(name, fields).length > 0);
    // If the service lists no fields of any unit, the pipeline file is not to blame. Each unit reports it.
    if (wrong !== undefined && fields.length > 0)
      throw await unknownField(known.projectDir, dataset, wrong, fields);
  }
}

/** Returns the due units and, for each dataset without one, its newest unit, which shows the fields. */
export function withNewest(due: readonly Task[], all: readonly Task[]): Task[] {
  const newest = new Map<string, Task>();
  for (const task of all) if (isReadable(task)) newest.set(task.unit.dataset, task);
  for (const task of due) if (isReadable(task)) newest.delete(task.unit.dataset);
  return [...due, ...newest.values()];
}

function isReadable({ skip, failure, restore }: Task): boolean {
  return skip === null && failure === null && restore === null;
}

export function unknownNames(pipeline: Pipeline, loaded: ReadonlySet<string>): NamedField[] {
  return namedFields(pipeline).filter(({ name }) => !name.includes('*') && !loaded.has(name));
}

/**
 * Returns the fields that pipelines name. Filters and column entries can be checked only for crawls, because the
 * service lists fields only for crawls.
 */
function namedFields({ fields: { include, exclude }, filter, columns, source }: Pipeline): NamedField[] {
  const isReported = source.kind === 'crawl' && source.data_type !== 'fields';
  const named = (key: string, names: readonly string[], isException: boolean): NamedField[] =>
    names.map((name, index) => ({ name, path: ['fields', key, index], isException }));
  return [
    ...named('include', include, false),
    ...named('exclude', exclude, true),
    ...(isReported && filter !== undefined ? filteredFields(parseOql(filter), ['filter']) : []),
    ...(isReported ? Object.keys(columns) : []).map((name) => ({
      name,
      path: ['columns', name],
      isException: true,
    })),
  ];
}

function filteredFields(node: Oql, path: readonly PropertyKey[]): NamedField[] {
  if ('field' in node) return [{ name: node.field[0], path: [...path, 'field', 0], isException: false }];
  const [key, nodes] = 'and' in node ? ['and', node.and] : ['or', node.or];
  return nodes.flatMap((node, index) => filteredFields(node, [...path, key, index]));
}

/** Returns null if the service lists no fields, or cannot at present. The unit's own work reports the reason. */
async function schemaOf(
  fieldSchemas: FieldSchemaCache,
  { pipeline, unit }: Task,
  signal: AbortSignal,
): Promise<readonly FieldRecord[] | null> {
  const source = dataSourceOf(pipeline, unit);
  try {
    return source && (await fieldSchemas.of(source));
  } catch {
    // The unit's own work fails for the same reason and reports it.
    signal.throwIfAborted();
    return null;
  }
}

async function unknownField(
  projectDir: string,
  dataset: string,
  { name, path }: NamedField,
  fields: readonly string[],
): Promise<CrawlhouseError> {
  const place = await pipelinePlace(projectDir, dataset, path);
  const near = nearNames(name, fields);
  return new CrawlhouseError('bad_pipeline', `${place}: the service has no field ${name} for ${dataset}`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `remove it, or name one of the ${fields.length} fields of the service, such as ${fields.slice(0, 5).join(', ')}`,
  });
}
