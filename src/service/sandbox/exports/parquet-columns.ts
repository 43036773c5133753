import { type Connection, ident } from '../../../core/duckdb/duckdb.ts';
import { type Column, isMany, kindOfField, REAL, WHOLE } from '../../fields/column.ts';
import { jsonCell } from '../../rows/cell-sql.ts';

/** A way to store a field: its SQL, and the condition under which its values survive. */
interface Typed {
  readonly sql: string;
  /** A condition that is true for all values of the field. */
  readonly survives: string | undefined;
}

/** `yyyy/MM/dd HH:mm:ss z` (api-spec.md §2.14). */
const DATETIME = '%Y/%m/%d %H:%M:%S %Z';
const DATE = '%Y-%m-%d';

/**
 * Returns the select list of a Parquet file: whole numbers BIGINT, floats DOUBLE, bool BOOLEAN, date DATE, datetime
 * TIMESTAMPTZ, many-valued fields lists of these, objects their JSON text. If a value of a field would not survive its
 * type, the field is text, as in CSV.
 */
export async function parquetColumns(
  connection: Connection,
  source: string,
  columns: readonly Column[],
  signal: AbortSignal,
): Promise<string> {
  const wanted = columns.map(typed);
  const checks = wanted.map(({ survives }) =>
    survives === undefined ? 'true' : `coalesce(bool_and(coalesce(${survives}, false)), true)`,
  );
  const held: unknown[] = [];
  for (let at = 0; at < checks.length; at += 50) {
    const some = checks.slice(at, at + 50).map((check, index) => `${check} AS v${index}`);
    const [row = {}] = await connection.rows(`SELECT ${some.join(', ')} ${source}`, [], signal);
    held.push(...Object.values(row));
  }
  const cells = columns.map((column, index) => {
    const sql = held[index] === true ? wanted[index]?.sql : plainText(column);
    return `${sql} AS ${ident(column.field.name)}`;
  });
  return cells.join(', ');
}

function typed(column: Column): Typed {
  const { id, kind, field } = column;
  // Values of another kind than their field's are taken as their JSON on the wire.
  if (kind === 'json' || kind !== kindOfField(field)) {
    const json = jsonOf(column);
    return isMany(column) ? manyOfJson(json, field.type) : oneOfJson(json, field.type);
  }
  const isDay = field.type === 'date';
  if (!isDay && field.type !== 'datetime') return { sql: id, survives: undefined };
  const format = isDay ? DATE : DATETIME;
  const parsed = `try_strptime(${id}, '${format}')`;
  return {
    sql: isDay ? `CAST(${parsed} AS DATE)` : parsed,
    survives: `${id} IS NULL OR strftime(${parsed}, '${format}') = ${id}`,
  };
}

/** Returns a value as JSON text, NULL if there is none. */
function jsonOf(column: Column): string {
  return column.kind === 'json' ? column.id : `nullif(${jsonCell(column)}, 'null')`;
}

function oneOfJson(json: string, type: string): Typed {
  const value = `json_extract_string(${json}, '$')`;
  const isNumber = `json_type(${json}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')`;
  if (WHOLE.includes(type)) {
    const sql = `TRY_CAST(regexp_replace(${value}, '\\.0+$', '') AS BIGINT)`;
    return {
      sql,
      survives: `${json} IS NULL OR (${isNumber} AND regexp_full_match(${value}, '-?[0-9]+(\\.0+)?') AND ${sql} IS NOT NULL)`,
    };
  }
  if (REAL.includes(type)) {
    const sql = `TRY_CAST(${value} AS DOUBLE)`;
    return {
      sql,
      survives: `${json} IS NULL OR (${isNumber} AND length(${value}) <= 17 AND ${sql} IS NOT NULL)`,
    };
  }
  if (type === 'bool') {
    const sql = `TRY_CAST(${value} AS BOOLEAN)`;
    return { sql, survives: `${json} IS NULL OR json_type(${json}) = 'BOOLEAN'` };
  }
  return { sql: plainJson(json, type), survives: undefined };
}

/** Reads lists, and lone values, which are treated as a list of one (wire-facts.md). */
function manyOfJson(json: string, type: string): Typed {
  const list = `CASE WHEN json_type(${json}) = 'ARRAY' THEN ${json} ELSE concat('[', ${json}, ']') END`;
  const element = WHOLE.includes(type)
    ? 'BIGINT'
    : REAL.includes(type)
      ? 'DOUBLE'
      : type === 'bool'
        ? 'BOOLEAN'
        : 'VARCHAR';
  const sql = `TRY_CAST(CAST((${list}) AS JSON) AS ${element}[])`;
  const same = `CAST(to_json(${sql}) AS VARCHAR) = CAST(CAST((${list}) AS JSON) AS VARCHAR)`;
  return { sql: `CASE WHEN ${json} IS NOT NULL THEN ${sql} END`, survives: `${json} IS NULL OR ${same}` };
}

/** Returns plain text. Objects and lists keep their JSON text; a lone string, number or boolean is unchanged. */
function plainText(column: Column): string {
  if (column.kind === 'text') return column.id;
  return isMany(column) ? jsonOf(column) : plainJson(jsonOf(column), column.field.type);
}

function plainJson(json: string, type: string): string {
  if (type === 'object' || type === 'nested') return json;
  return `CASE WHEN starts_with(${json}, '"') THEN json_extract_string(${json}, '$') ELSE ${json} END`;
}
