import { ident, text } from '../../../core/duckdb.ts';
import type { Model } from '../models/model.ts';
import { badModel } from '../sql-text/bad-model.ts';
import type { SourceTables } from './source-tables.ts';

/** Whether a column of a header, as `custom_*`, stands for all columns of the sources whose names begin so. */
export const isWildcard = (column: string): boolean => column.endsWith('*');

/** What a column that a model puts out holds: by its own name, or by the wildcard that it falls under. */
export function describedColumn({ columns }: Pick<Model, 'columns'>, name: string): string | undefined {
  const wildcard = [...columns.keys()].find((one) => isWildcard(one) && name.startsWith(one.slice(0, -1)));
  return columns.get(name) ?? columns.get(wildcard ?? '');
}

/**
 * The SQL of a model, with the columns that each wildcard stands for in its place. Lines stay where they are.
 *
 * @throws CrawlhouseError `bad_model` if a wildcard of the header is not in the SQL
 */
export function expandWildcards(model: Model, present: SourceTables): string {
  const fields = new Set([...model.reads.keys()].flatMap((name) => fieldsOf(present, name)));
  let sql = expandEach(model, present);
  for (const wildcard of [...model.columns.keys()].filter(isWildcard)) {
    const place = new RegExp(`,(\\s*)"${RegExp.escape(wildcard)}"`);
    if (!place.test(sql)) {
      const line = model.lineOf(['columns', wildcard]);
      const hint = `write "${wildcard}" behind another column of the SELECT`;
      throw badModel({ file: model.file, line }, `the SELECT puts out no column ${wildcard}`, hint);
    }
    const prefix = wildcard.slice(0, -1);
    const names = [...fields]
      .map(({ name }) => name)
      .filter((name) => name.startsWith(prefix) && !model.columns.has(name));
    sql = sql.replace(place, (_all, gap: string) => names.map((name) => `, ${ident(name)}`).join('') + gap);
  }
  return sql;
}

/**
 * The SQL of a model with `each`, once for every field: `'each'` is its name, and the source has a column `each`, its
 * value as text, with a row for each different one of a list. Fields without a column are left out.
 */
function expandEach({ sql, each }: Model, present: SourceTables): string {
  if (each === null) return sql;
  const fields = fieldsOf(present, each.source).filter(
    ({ name, type }) =>
      each.fields.some((one) => (isWildcard(one) ? name.startsWith(one.slice(0, -1)) : name === one)) &&
      (!each.lists_only || type.endsWith('[]')),
  );
  const source = new RegExp(`\\b${RegExp.escape(each.source)}\\b`, 'g');
  const copy = (name: string, rows: string): string =>
    sql.replaceAll("'each'", () => text(name)).replaceAll(source, () => `(SELECT source.*, ${rows})`);
  const none = copy('', `CAST(NULL AS VARCHAR) AS "each" FROM ${each.source} AS source WHERE false`);
  return (
    fields.map(({ name, type }) => copy(name, valueRows(each.source, name, type))).join('\nUNION ALL ') ||
    none
  );
}

/** A lone value is not unnested as a list of one: that takes five times as long. */
function valueRows(source: string, name: string, type: string): string {
  const column = `source.${ident(name)}`;
  if (!type.endsWith('[]')) {
    return `CAST(${column} AS VARCHAR) AS "each" FROM ${source} AS source WHERE ${column} IS NOT NULL`;
  }
  const items = `UNNEST(array_distinct(CAST(${column} AS VARCHAR[]))) AS items(item)`;
  return `items.item AS "each" FROM ${source} AS source CROSS JOIN ${items} WHERE items.item IS NOT NULL`;
}

const fieldsOf = (present: SourceTables, source: string) => [...(present.get(source)?.values() ?? [])];
