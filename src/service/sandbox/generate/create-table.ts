import type { FieldRecord } from '../../../client/resources/fields.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { type Column, columnsOf, kindOfField, SQL_TYPES } from '../../fields/column.ts';
import type { StoredDataset } from '../../resources/resources.ts';
import { ServiceRows } from '../../rows/service-rows.ts';
import { ADJECTIVES, type GeneratedSite, hashOf, NOUNS, pick } from './site.ts';

const DAY = 86_400;

export interface TableContent {
  readonly fields: readonly FieldRecord[];
  /** The shapes that `values` are written for. */
  readonly known: readonly FieldRecord[];
  /** SQL for the rows and the basis of their values. */
  readonly facts: string;
  /** SQL for the values that depend on each other, by field. */
  readonly values: Readonly<Record<string, string>>;
  /** The column of `facts` that other values derive from. */
  readonly key: string;
  /** Condition for rows without any other values. */
  readonly isBare?: string;
}

/** Generates a table in one statement: DuckDB streams the rows from `range` to the file. */
export async function createTable(
  rows: ServiceRows,
  site: GeneratedSite,
  table: string,
  content: TableContent,
): Promise<StoredDataset> {
  const columns = columnsOf(content.fields);
  const cells = columns.map(
    (column) => `CAST(${valueSql(site, column, content)} AS ${SQL_TYPES[column.kind]}) AS ${column.id}`,
  );
  const sql = `CREATE OR REPLACE TABLE ${ServiceRows.table(table)} AS SELECT ${cells.join(', ')} FROM (${content.facts})`;
  await rows.use((connection) => connection.run(sql));
  return { table, columns };
}

function valueSql(site: GeneratedSite, { field, kind }: Column, content: TableContent): string {
  const own = Object.hasOwn(content.values, field.name) ? content.values[field.name] : undefined;
  // A file of fields may give a known name another shape.
  const known = content.known.find((record) => record.name === field.name);
  if (own !== undefined && known !== undefined && kindOfField(known) === kind) return own;
  const generic = genericValue(site, field, content.key);
  return content.isBare === undefined ? generic : `CASE WHEN ${content.isBare} THEN NULL ELSE ${generic} END`;
}

/** Returns SQL for a value that only fits a field's type and arity; it is the same for a page in every crawl. */
function genericValue(site: GeneratedSite, field: FieldRecord, page: string): string {
  const hash = (label: string): string => hashOf(site, `${field.name} ${label}`, page);
  const one = (label: string): string => value(site, field, hash(label));
  const missing = `${hash('missing')} % 12 = 0`;
  if (field.arity !== 'many') return `CASE WHEN ${missing} THEN NULL ELSE ${one('1')} END`;
  const lists = ['1', '2', '3'].map(one);
  if (!['string', 'enum', 'hash', 'date', 'datetime'].includes(field.type))
    return `CASE ${hash('count')} % 4 WHEN 0 THEN NULL WHEN 1 THEN concat('[', ${lists[0]}, ']') ELSE concat('[', ${lists[0]}, ',', ${lists[1]}, ']') END`;
  return `CASE ${hash('count')} % 5 WHEN 0 THEN NULL WHEN 1 THEN [${lists[0]}] WHEN 2 THEN [${lists[0]}, ${lists[1]}] WHEN 3 THEN [${lists[0]}] ELSE [${lists.join(', ')}] END`;
}

function value(site: GeneratedSite, field: FieldRecord, hash: string): string {
  const [whole, share] = [`CAST(${hash} % 5000 AS BIGINT)`, `CAST(${hash} % 1001 AS DOUBLE) / 1000`];
  const object = `concat('{"name":"', ${pick(NOUNS, hash)}, '","count":', ${hash} % 50, ',"score":', CAST(${hash} % 100 AS DOUBLE) / 100, '}')`;
  const ofType: Readonly<Record<string, string>> = {
    natural: whole,
    integer: whole,
    float: `CAST(${hash} % 100000 AS DOUBLE) / 1000`,
    percentage: share,
    ratio: share,
    bool: `${hash} % 3 = 0`,
    enum: pick(field.values?.length ? field.values : ['first', 'second', 'third'], hash),
    hash: `lower(hex(${hash}))`,
    date: `strftime(${moment(site, hash)}, '%Y-%m-%d')`,
    datetime: `strftime(${moment(site, hash)}, '%Y/%m/%d %H:%M:%S UTC')`,
    string: `concat(${pick(ADJECTIVES, hash)}, ' ', ${pick(NOUNS, `(${hash} >> 8)`)}, ' ', ${hash} % 1000)`,
  };
  return lookUp(ofType, field.type) ?? object;
}

/** Returns a time within the year before the site's first crawl, which is the same at all its crawls. */
function moment(site: GeneratedSite, hash: string): string {
  return `make_timestamp((${site.firstEnd - 365 * DAY} + CAST(${hash} % ${365 * DAY} AS BIGINT)) * 1000000)`;
}
