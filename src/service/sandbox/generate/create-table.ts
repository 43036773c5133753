import type { FieldRecord } from '../../api/fields.ts';
import { type Column, kindOfField, SQL_TYPES } from '../catalogue/column.ts';
import type { Dataset } from '../resources/resources.ts';
import { ServiceRows } from '../rows/row-store.ts';
import { genericValue } from './generic-value.ts';
import type { GeneratedSite } from './site.ts';

export interface TableContent {
  readonly fields: readonly FieldRecord[];
  /** The shapes that `values` are made for. */
  readonly known: readonly FieldRecord[];
  /** SQL for the rows and what their values are made of. */
  readonly facts: string;
  /** SQL for the values that have to fit each other, by field. */
  readonly values: Readonly<Record<string, string>>;
  /** The column of `facts` that other values are made from. */
  readonly key: string;
  /** Holds for rows that have no other values at all. */
  readonly isBare?: string;
}

/** Generates a table in one statement: DuckDB streams the rows from `range` to the file. */
export async function createTable(
  rows: ServiceRows,
  site: GeneratedSite,
  table: string,
  content: TableContent,
): Promise<Dataset> {
  const columns = content.fields.map(
    (field, index): Column => ({ id: `c${index}`, kind: kindOfField(field), field }),
  );
  const cells = columns.map(
    (column) => `CAST(${valueSql(site, column, content)} AS ${SQL_TYPES[column.kind]}) AS ${column.id}`,
  );
  const sql = `CREATE OR REPLACE TABLE ${ServiceRows.table(table)} AS SELECT ${cells.join(', ')} FROM (${content.facts})`;
  await rows.use((connection) => connection.run(sql));
  return { table, columns };
}

function valueSql(site: GeneratedSite, { field, kind }: Column, content: TableContent): string {
  const own = Object.hasOwn(content.values, field.name) ? content.values[field.name] : undefined;
  // A catalogue from elsewhere may give a known name another shape.
  const known = content.known.find((record) => record.name === field.name);
  if (own !== undefined && known !== undefined && kindOfField(known) === kind) return own;
  const generic = genericValue(site, field, content.key);
  return content.isBare === undefined ? generic : `CASE WHEN ${content.isBare} THEN NULL ELSE ${generic} END`;
}
