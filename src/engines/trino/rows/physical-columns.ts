import { ident } from '../../../core/duckdb/duckdb.ts';
import { trinoType } from '../translate-sql.ts';

/** The type of DuckDB in which a column goes to a file: `add_files` takes any other without a word, and no query reads it. */
export function fileType(type: string): string {
  // Parquet has no HUGEINT: DuckDB writes it as DOUBLE.
  return { JSON: 'VARCHAR', HUGEINT: 'DECIMAL(38,0)' }[type] ?? type;
}

/**
 * The stored columns that hold a column's values. Iceberg changes no type: a column that has widened has a stored column
 * for each type that it has had, and a file fills one of them.
 */
export interface PhysicalColumn {
  readonly name: string;
  /** Its type by now in DuckDB. */
  readonly own: string;
  /** Type of the column in Trino. */
  readonly type: string;
  /** Where values of this type go. */
  readonly target: string;
  /** Columns of former types, with these types. */
  readonly former: readonly (readonly [name: string, type: string])[];
}

/**
 * @param types the columns with their types in DuckDB
 * @param stored the columns of the stored table with their types, in its order
 */
export function physicalColumns(
  types: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, string>,
): PhysicalColumn[] {
  return [...types].map(([name, own]) => {
    const type = trinoType(own);
    const target = (stored.get(name) ?? type) === type ? name : `_as ${type}: ${name}`;
    const all = [...stored].filter(([one]) => one === name || laterTypeOf(one) === name);
    return { name, own, type, target, former: all.filter(([one]) => one !== target) };
  });
}

/** The column whose values of a later type a stored column holds; undefined for one of a first type. */
export function laterTypeOf(stored: string): string | undefined {
  // No type has a colon. Columns of the service never begin with `_`.
  return /^_as [^:]+: ([\s\S]+)$/.exec(stored)?.[1];
}

/** SQL of a column's value, whichever of its stored columns has it. */
export function columnSql({ name, type, target, former }: PhysicalColumn, from: string): string {
  const own = `${from}.${ident(target)}`;
  if (former.length === 0) return own;
  const others = former.map(([column, was]) => {
    const value = `${from}.${ident(column)}`;
    const isLifted = type.startsWith('array(') && !was.startsWith('array(');
    return `CAST(${isLifted ? `CASE WHEN ${value} IS NOT NULL THEN ARRAY[${value}] END` : value} AS ${type})`;
  });
  return `coalesce(${[own, ...others].join(', ')}) AS ${ident(name)}`;
}
