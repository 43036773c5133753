import type { ServiceClient } from '../../../client/http/service-client.ts';
import { type DataSource, describeSource, requiredFields } from '../../../client/resources/data-source.ts';
import type { FieldRecord } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Field } from '../../project/model/field.ts';
import { fieldsMatcher } from '../../project/model/included-keys.ts';
import type { Inventory } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Task } from '../../project/model/task.ts';
import { dataSourceOf } from '../../project/model/unit-source.ts';
import type { FieldSchemaCache } from './field-schema-cache.ts';

/** The facts about a unit's rows before they are requested. */
export interface DescribedRows {
  readonly source: DataSource;
  readonly fields: readonly Field[];
  readonly reported: number;
}

/**
 * Requests the fields and the number of a unit's rows. If the service does not list the fields, a search shows their
 * names, and the pipeline file declares their types (spec-notes.md 11).
 */
export async function describeRows(
  client: ServiceClient,
  fieldSchemas: FieldSchemaCache,
  source: DataSource,
  { pipeline, oql }: Task,
  signal: AbortSignal,
): Promise<DescribedRows> {
  const schema = await fieldSchemas.of(source);
  const own = schema && projectedFields(schema, pipeline.fields);
  const first = own?.slice(0, 1).map((field) => field.name);
  if (schema && own?.length === 0)
    throw nothingIncluded(
      pipeline.dataset,
      source,
      schema.some(({ can_display }) => can_display !== false),
    );
  const body = { limit: 1, ...(first ? { fields: first } : {}), ...(oql ? { oql } : {}) };
  const { meta } = await client.search(source, body, signal);
  const columns = meta.columns ?? [];
  const included = own ?? shownFields(columns, pipeline);
  if (included.length === 0) throw nothingIncluded(pipeline.dataset, source, columns.length > 0);
  const always = requiredFields(source);
  const fields = included.map((field) =>
    always.includes(field.name) ? { ...field, required: true } : field,
  );
  return { source, fields, reported: meta.total_hits };
}

/**
 * Returns the columns of a search. A column that the pipeline file does not declare is loaded as JSON, which loses
 * nothing.
 */
function shownFields(columns: readonly string[], { columns: declared, fields }: Task['pipeline']): Field[] {
  const types = new Map(declaredFields(declared).map((field) => [field.name, field]));
  const shown = columns.map((name) => types.get(name) ?? { name, type: 'unknown', arity: 'one' as const });
  return projectedFields(shown, fields);
}

/** Returns the error for an empty projection. It is the pipeline's fault only if the service lists any fields. */
function nothingIncluded(dataset: string, source: DataSource, showsFields: boolean): CrawlhouseError {
  if (!showsFields)
    return new CrawlhouseError(
      'contract_broken',
      `${describeSource(source)}: the service counts its rows, but lists no displayable field`,
      { hint: "ask the service's support for the fields of this report; the next run tries again" },
    );
  return new CrawlhouseError(
    'bad_pipeline',
    `${dataset}: none of the fields of ${describeSource(source)} is included`,
    { hint: `check fields in pipelines/${dataset}.yaml` },
  );
}

/** Returns the projection: every field that can be displayed and that the pipeline includes (spec-notes.md 10). */
export function projectedFields(records: readonly FieldRecord[], fields: Pipeline['fields']): Field[] {
  const isIncluded = fieldsMatcher(fields);
  return records
    .filter(({ name, can_display }) => can_display !== false && isIncluded(name))
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

/** Returns the columns that a pipeline file declares, for sources without a fields endpoint. */
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

interface ToDescribe {
  readonly task: Task;
  readonly inventory: Inventory;
  readonly client: ServiceClient;
  readonly fieldSchemas: FieldSchemaCache;
}

interface Described {
  readonly rows: number | null;
  /** Null if the service does not describe fields, or cannot at present. */
  readonly fields: readonly Field[] | null;
}

/** Returns the rows and fields of a unit for a plan, as far as the service reports them now. */
export async function describeUnit(
  { client, fieldSchemas, task, inventory }: ToDescribe,
  signal: AbortSignal,
): Promise<Described> {
  const source = dataSourceOf(task.pipeline, task.unit);
  try {
    if (source !== null) {
      const { reported, fields } = await describeRows(client, fieldSchemas, source, task, signal);
      return { rows: reported, fields };
    }
  } catch (error) {
    // The unit's own work fails for the same reason and reports it. Its rows may still be countable.
    if (!(error instanceof CrawlhouseError && (isUncounted(error) || error.code === 'bad_pipeline')))
      throw error;
  }
  return { rows: await countRows(client, task, inventory, signal), fields: null };
}

export async function countRows(
  client: ServiceClient,
  { unit, pipeline, oql }: Task,
  inventory: Inventory,
  signal: AbortSignal,
): Promise<number | null> {
  const source = dataSourceOf(pipeline, unit);
  if (source === null) {
    const workspace = inventory.workspaces.find(({ id }) => id === unit.source.id);
    if (pipeline.source.data_type === 'projects') return workspace?.projects.total ?? null;
    return pipeline.source.data_type === 'crawls' ? (workspace?.crawls.total ?? null) : null;
  }
  try {
    return (await client.search(source, { limit: 1, ...(oql ? { oql } : {}) }, signal)).meta.total_hits;
  } catch (error) {
    if (error instanceof CrawlhouseError && isUncounted(error)) return null;
    throw error;
  }
}

/** Returns whether an error only means that a plan shows no count. */
function isUncounted({ kind, code }: CrawlhouseError): boolean {
  return kind === 'skip' || kind === 'refused' || code === 'forbidden';
}
