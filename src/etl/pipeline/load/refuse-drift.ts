import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Pipeline, SchemaChangeRule } from '../../project/model/pipeline.ts';
import type { Unit } from '../../project/model/unit.ts';
import type { ReadField } from '../../project/sql/models/model.ts';
import { mergeType } from '../../state/catalog/raw/merge-type.ts';
import type { RawTablePlan, SchemaChange, TypeRule } from '../../state/catalog/raw/raw-table.ts';

/** The rule of a pipeline file for a column's changes. */
export interface ColumnContract {
  /** The column's own rule, which overrides that of the dataset. */
  readonly schemaChange?: SchemaChangeRule | undefined;
  /** Whether the field may have a type that does not fit its column. */
  readonly retype?: 'allow' | undefined;
}

/** The rules of a pipeline file for changes. */
interface Contracts {
  readonly dataset: SchemaChangeRule;
  /** By field. */
  readonly columns: ReadonlyMap<string, ColumnContract>;
}

/** Returns the rules of a pipeline file for each column that has its own. */
export function columnContracts(columns: Pipeline['columns']): Map<string, ColumnContract> {
  return new Map(
    Object.entries(columns).flatMap(([name, column]) =>
      typeof column === 'string'
        ? []
        : [[name, { schemaChange: column.schema_change, retype: column.retype }] as const],
    ),
  );
}

/**
 * Returns what happens to fields whose type changed. Fields that models read and fields of lists get no variant
 * columns: models do not read variant columns, and the records of a list keep their columns as long as they stay the
 * same.
 */
export function typeRules(
  { dataset, columns }: Contracts,
  reads: ReadonlyMap<string, ReadField>,
  kind: Unit['source']['kind'],
): (field: string) => TypeRule {
  return (field) => {
    const own = columns.get(field);
    if (own?.retype === 'allow') return 'retype';
    const isVariant = (own?.schemaChange ?? dataset) === 'variant' && kind !== 'resource';
    return isVariant && !reads.has(field) ? 'variant' : 'refuse';
  };
}

/**
 * Refuses a unit that changes frozen fields: with `schema_change: freeze` all fields, else those that the pipeline file
 * freezes by name. A column frozen by name may be added once; then it must stay the same.
 *
 * @param registry field → column over all units that the dataset has had
 * @throws CrawlhouseError `contract_drift` that names each field and its change
 */
export function refuseDrift(
  manifest: Manifest,
  plan: RawTablePlan,
  registry: ReadonlyMap<string, string>,
  { dataset, columns }: Contracts,
): void {
  if (!plan.exists) return;
  const refused = [...plan.changes, ...missing(manifest, plan, registry, columns)].filter((change) => {
    const isNew = plan.changes.some((one) => one.field === change.field && one.change === 'added');
    const own = columns.get(change.field)?.schemaChange;
    return (isNew && own === 'freeze' ? dataset : (own ?? dataset)) === 'freeze';
  });
  if (refused.length === 0) return;
  const what = refused.map(describe).join(', ');
  throw new CrawlhouseError(
    'contract_drift',
    `${manifest.name} changes the frozen fields of its dataset: ${what}`,
    {
      hint: `set schema_change: evolve in the pipeline file${dataset !== 'freeze' ? ', in the entry of the column,' : ''} to accept the change`,
    },
  );
}

/**
 * Returns columns frozen by name that units of other projects contain but this unit lacks. The unit may be the first of
 * its project.
 */
function missing(
  { columns: present }: Manifest,
  { changes }: RawTablePlan,
  registry: ReadonlyMap<string, string>,
  columns: ReadonlyMap<string, ColumnContract>,
): SchemaChange[] {
  const here = new Set([...present, ...changes].map((one) => one.field));
  return [...columns]
    .filter(
      ([field, contract]) => contract.schemaChange === 'freeze' && registry.has(field) && !here.has(field),
    )
    .map(([field]) => ({ field, change: 'vanished', before: null, after: null }));
}

function describe({ field, change, before, after }: SchemaChange): string {
  const type = after ?? before;
  return type === null ? `${field} (${change})` : `${field} (${change}: ${type})`;
}

/**
 * Refuses a unit whose fields the models cannot read: fields whose type does not fit the type in the model, or whose
 * name differs only in case. The first unit of a dataset determines the column for all later units.
 *
 * @param reads the fields of the dataset that models read
 * @throws CrawlhouseError `contract_drift`
 */
export function refuseTypesModelsCannotRead(
  { name, columns }: Manifest,
  reads: ReadonlyMap<string, ReadField>,
  rule: (field: string) => TypeRule,
): void {
  const present = new Set(columns.map(({ field }) => field));
  const lowered = new Map([...reads.keys()].map((field) => [field.toLowerCase(), field]));
  for (const { field, type, sql_type } of columns) {
    const read = reads.get(field);
    if (read) {
      if (rule(field) === 'retype' || read.type === null || fits(read.type, sql_type)) continue;
      throw new CrawlhouseError(
        'contract_drift',
        `${name}: the field ${field} has the type ${sql_type} (${type}), but ${read.file} reads it as ${read.type}`,
        {
          hint: `the unit keeps its previous rows; retype: allow in the pipeline file, in an entry of columns for ${field}, accepts it`,
        },
      );
    }
    const meant = lowered.get(field.toLowerCase());
    if (meant === undefined || present.has(meant)) continue;
    throw new CrawlhouseError(
      'contract_drift',
      `${name}: the unit has the field ${JSON.stringify(field)} but not ${JSON.stringify(meant)}, which ${reads.get(meant)?.file} reads`,
      {
        hint: 'the names differ only in case and may mean the same field; fields.exclude in the pipeline file omits the field',
      },
    );
  }
}

/**
 * Returns whether a type fits. Whole numbers may be wide, and a single value may become a list. A list may not become a
 * single value.
 */
function fits(read: string, incoming: string): boolean {
  const merged = mergeType(read, incoming)?.type;
  return merged !== undefined && merged.endsWith('[]') === read.endsWith('[]');
}
