import { z } from 'zod';
import { type Connection, ident, table } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { nameColumns, variantColumn, variantOf } from '../../../project/model/column-name.ts';
import { MOST_COLUMNS, WIDE_WHOLE } from '../../../project/model/field.ts';
import type { PackageColumn } from '../../../project/model/manifest.ts';
import type { ReadField } from '../../../project/sql/models/model.ts';
import { commentRawColumns } from '../comment-columns.ts';
import type { DescribedField } from '../descriptions/describe-field.ts';
import { CATALOG, RAW_META_COLUMNS, type RawMetaColumn } from '../schema.ts';
import { type MergedType, mergeType } from './merge-type.ts';

const ColumnType = z.strictObject({ column_name: z.string(), data_type: z.string() });

/** A change to a dataset's table by the fields of a unit. */
export interface SchemaChange {
  readonly field: string;
  readonly change: 'added' | 'widened' | 'variant' | 'vanished' | 'retyped' | 'arity';
  readonly before: string | null;
  /** Null for a removed field. */
  readonly after: string | null;
  /** For a variant, the number of values in its column; absent if they were not counted. */
  readonly value_count?: number;
}

/**
 * What happens if the type of a field does not fit its column: the unit is refused, both types are merged into a common
 * type, or the values go to a variant column.
 */
export type TypeRule = 'refuse' | 'retype' | 'variant';

/** How the columns of a package go into the raw table of its dataset. */
export interface RawTablePlan {
  /** False when the table must be created. */
  readonly exists: boolean;
  /** Name → DuckDB type of the columns before the load. */
  readonly known: ReadonlyMap<string, string>;
  /** The table column of each field, with the SQL that converts the package's value to the column's type. */
  readonly targets: readonly {
    readonly field: string;
    readonly described: DescribedField;
    /** The column of the package. */
    readonly from: string;
    readonly column: string;
    readonly merged: MergedType;
    readonly added: boolean;
    /** Whether the column is a variant of the field's column. */
    readonly variant: boolean;
  }[];
  readonly changes: readonly SchemaChange[];
}

/** The state of a raw table before a load. */
interface RawTableState {
  /** Name → DuckDB type of its columns; empty when there is no table. */
  readonly tableColumns: ReadonlyMap<string, string>;
  /** Field → column over all units that the dataset has had. */
  readonly registry: ReadonlyMap<string, string>;
  /** The rule of a field; `refuse` by default. */
  readonly rule?: (field: string) => TypeRule;
  /** The types that models expect of the dataset. A new column gets that type if the values fit. */
  readonly reads?: ReadonlyMap<string, ReadField> | undefined;
}

/**
 * Plans the changes to the raw table that a package's columns need.
 *
 * @throws CrawlhouseError `contract_drift` when a type cannot be merged without loss, and no rule allows it
 */
export function planRawTable(
  dataset: string,
  columns: readonly PackageColumn[],
  { tableColumns, registry, rule = () => 'refuse', reads }: RawTableState,
): RawTablePlan {
  const bases = new Set([...registry.values()].map((name) => name.toLowerCase()));
  const owned = new Set([...Object.keys(RAW_META_COLUMNS), ...registry.values()]);
  const taken = new Set([...owned, ...tableColumns.keys()].map((name) => name.toLowerCase()));
  const isVariant = (name: string): boolean => bases.has(variantOf(name)?.toLowerCase() ?? '');
  // A column still belongs to its field after all units were loaded again without it.
  const isFree = (name: string): boolean =>
    !taken.has(name.toLowerCase()) || (tableColumns.has(name) && !owned.has(name) && !isVariant(name));
  const fresh = columns.map(({ field }) => field).filter((field) => !registry.has(field));
  const names = new Map([...registry, ...nameColumns(fresh, isFree, isOurs)]);
  const given = new Set([...names.values()].map((name) => name.toLowerCase()));
  /** Returns a variant column of this type, whether or not the table has it yet. */
  const variantFor = (base: string, type: string): string =>
    variantColumn(base, type, (name) => {
      const lower = name.toLowerCase();
      return !given.has(lower) && (!taken.has(lower) || tableColumns.get(name) === type);
    });
  const changes: SchemaChange[] = [];
  const targets = columns.map(({ field, ...column }) => {
    const own = names.get(field) ?? field;
    const before = tableColumns.get(own);
    const described = { field, ...column };
    const target = { field, described, from: column.column };
    const read = before === undefined && reads?.get(field)?.type;
    const merged =
      (read && mergeType(read, column.sql_type)) ||
      mergeType(before ?? column.sql_type, column.sql_type, rule(field) === 'retype');
    const isOtherArity = before?.endsWith('[]') !== column.sql_type.endsWith('[]');
    if (before !== undefined && rule(field) === 'variant' && (merged === null || isOtherArity)) {
      const variant = variantFor(own, column.sql_type);
      changes.push({ field, change: 'variant', before, after: column.sql_type });
      const added = !tableColumns.has(variant);
      const plain = mergeType(column.sql_type, column.sql_type) as MergedType;
      return { ...target, column: variant, merged: plain, added, variant: true };
    }
    if (merged === null) {
      throw new CrawlhouseError(
        'contract_drift',
        `raw.${dataset}: the field ${field} has the type ${column.sql_type}, but the table has ${before}`,
        {
          hint: `the unit keeps its previous rows; retype: allow in the pipeline file, in an entry of columns for ${field}, accepts both types${reads?.has(field) ? '' : ', and schema_change: variant stores them in separate columns'}`,
        },
      );
    }
    const type = merged.type;
    if (before === undefined) {
      changes.push({ field, change: 'added', before: null, after: type });
      if (type.includes(WIDE_WHOLE)) {
        changes.push({ field, change: 'widened', before: 'BIGINT', after: type });
      }
    } else if (merged.existing) changes.push({ field, change: 'widened', before, after: type });
    return { ...target, column: own, merged, added: before === undefined, variant: false };
  });
  const named = targets.map(({ column }) => column);
  refuseWidth(dataset, new Set([...tableColumns.keys(), ...names.values(), ...named]).size);
  return { exists: tableColumns.size > 0, known: tableColumns, targets, changes };
}

/** Returns the columns of a raw table, name → type; empty when there is none. */
export async function rawTableColumns(
  connection: Connection,
  dataset: string,
): Promise<ReadonlyMap<string, string>> {
  const known = COLUMNS.get(connection)?.get(dataset);
  if (known) return known;
  const rows = typedRows(
    ColumnType,
    await connection.rows(
      `SELECT column_name, data_type FROM duckdb_columns()
       WHERE database_name = ? AND schema_name = 'raw' AND table_name = ? ORDER BY column_index`,
      [CATALOG, dataset],
    ),
  );
  const columns = new Map(rows.map((row) => [row.column_name, row.data_type]));
  const tables = COLUMNS.get(connection) ?? new Map();
  if (columns.size > 0) COLUMNS.set(connection, tables.set(dataset, columns));
  return columns;
}

/**
 * Cached columns of tables by connection, until a load changes them. DuckDB lists the columns of all tables to find
 * them.
 */
const COLUMNS = new WeakMap<Connection, Map<string, ReadonlyMap<string, string>>>();

/** Creates the table or alters it according to the plan, with a comment on each column. */
export async function applyRawTable(
  connection: Connection,
  dataset: string,
  plan: RawTablePlan,
  meta: readonly RawMetaColumn[],
): Promise<void> {
  const added = meta.filter((column) => !plan.known.has(column));
  const isSame = plan.exists && added.length === 0 && !plan.targets.some((target) => target.added);
  const commented = COMMENTED.get(connection) ?? new Set();
  COMMENTED.set(connection, commented);
  if (!isSame || plan.targets.some(({ merged }) => merged.existing)) COLUMNS.get(connection)?.delete(dataset);
  if (plan.exists) await alterRawTable(connection, dataset, plan, added);
  else {
    const own = meta.map((column) => `${ident(column)} ${metaType(column)}`);
    const theirs = plan.targets.map((target) => `${ident(target.column)} ${target.merged.type}`);
    await connection.run(`CREATE TABLE ${table('raw', dataset)} (${[...own, ...theirs].join(', ')})`);
  }
  if (isSame && commented.has(dataset)) return;
  const described = new Map(plan.targets.map((target) => [target.column, target.described]));
  await commentRawColumns(connection, dataset, described);
  commented.add(dataset);
}

/** The tables whose columns all have comments, by connection. A killed run may have left some without. */
const COMMENTED = new WeakMap<Connection, Set<string>>();

async function alterRawTable(
  connection: Connection,
  dataset: string,
  plan: RawTablePlan,
  added: readonly RawMetaColumn[],
): Promise<void> {
  const name = table('raw', dataset);
  for (const column of added) {
    await connection.run(`ALTER TABLE ${name} ADD COLUMN ${ident(column)} ${metaType(column)}`);
  }
  for (const { column, merged, added } of plan.targets) {
    if (added) await connection.run(`ALTER TABLE ${name} ADD COLUMN ${ident(column)} ${merged.type}`);
    else if (merged.existing) {
      await connection.run(
        `ALTER TABLE ${name} ALTER COLUMN ${ident(column)} TYPE ${merged.type} USING ${merged.existing(ident(column))}`,
      );
    }
  }
}

/** Returns the type of a crawlhouse column. All rows of a unit have one text, so a dictionary takes little space. */
function metaType(column: RawMetaColumn): string {
  const type = RAW_META_COLUMNS[column];
  return type === 'VARCHAR' ? `${type} USING COMPRESSION dict_fsst` : type;
}

/**
 * Returns whether crawlhouse added the column. Such names start with `_`, and names of service fields never do.
 */
function isOurs(field: string): boolean {
  return field.startsWith('_');
}

function refuseWidth(dataset: string, columns: number): void {
  if (columns <= MOST_COLUMNS) return;
  throw new CrawlhouseError(
    'contract_drift',
    `raw.${dataset} would have ${columns} columns, but a table has at most ${MOST_COLUMNS}`,
    { hint: 'exclude fields with fields.exclude in the pipeline file' },
  );
}
