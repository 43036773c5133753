import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { isCode, type SqlToken, sqlTokens, textOf } from '../../../../core/duckdb/sql-tokens.ts';
import type { Model } from '../models/model.ts';
import { badModel } from '../text/bad-model.ts';
import type { SourceTables } from './source-tables.ts';

/** Returns whether a column of a header, such as `custom_*`, means all source columns with this prefix. */
export const isWildcard = (column: string): boolean => column.endsWith('*');

/** Returns the description of an output column: by its own name, or by the wildcard that it matches. */
export function describedColumn({ columns }: Pick<Model, 'columns'>, name: string): string | undefined {
  const wildcard = [...columns.keys()].find((key) => isWildcard(key) && name.startsWith(key.slice(0, -1)));
  return columns.get(name) ?? columns.get(wildcard ?? '');
}

/**
 * Returns the SQL of a model with each wildcard replaced by its columns. Line numbers stay the same.
 *
 * @throws CrawlhouseError `bad_model` if a wildcard of the header is not in the SQL
 */
export function expandWildcards(model: Model, present: SourceTables): string {
  const fields = new Set([...model.reads.keys()].flatMap((name) => fieldsOf(present, name)));
  let sql = expandEach(model, present);
  for (const wildcard of [...model.columns.keys()].filter(isWildcard)) {
    const tokens = sqlTokens(sql);
    const isWritten = (token: SqlToken | undefined): boolean => token?.text === ident(wildcard);
    const comma = tokens.findIndex(
      ({ text }, at) => text === ',' && isWritten(tokens.slice(at + 1).find(isCode)),
    );
    if (comma < 0) {
      const line = model.lineOf(['columns', wildcard]);
      const hint = `write "${wildcard}" behind another column of the SELECT`;
      throw badModel({ file: model.file, line }, `the SELECT returns no column ${wildcard}`, hint);
    }
    const prefix = wildcard.slice(0, -1);
    const names = [...fields]
      .map(({ name }) => name)
      .filter((name) => name.startsWith(prefix) && !model.columns.has(name));
    const place = tokens.findIndex((token, at) => at > comma && isWritten(token));
    const [before, gap, after] = [
      tokens.slice(0, comma),
      tokens.slice(comma + 1, place),
      tokens.slice(place + 1),
    ];
    sql = textOf(before) + names.map((name) => `, ${ident(name)}`).join('') + textOf([...gap, ...after]);
  }
  return sql;
}

/**
 * Repeats the SQL of a model with `each` for every field: `'each'` is its name, and the source has a column `each` with
 * its value as text, with one row for each distinct value of a list. Fields without a column are omitted. SELECTs after
 * the one with the field, and a UNION ALL, are not repeated.
 */
function expandEach({ sql, each }: Model, present: SourceTables): string {
  if (each === null) return sql;
  const fields = fieldsOf(present, each.source).filter(
    ({ name, type }) =>
      each.fields.some((field) =>
        isWildcard(field) ? name.startsWith(field.slice(0, -1)) : name === field,
      ) &&
      (!each.lists_only || type.endsWith('[]')),
  );
  const all = sqlTokens(sql);
  const end = endOfFirst(all);
  const tokens = all.slice(0, end);
  const copy = (name: string, rows: string): string =>
    withRows(tokens, each.source, `(SELECT source.*, ${rows})`)
      .map((written) => (written === "'each'" ? text(name) : written))
      .join('');
  const none = copy('', `CAST(NULL AS VARCHAR) AS "each" FROM ${each.source} AS source WHERE false`);
  const copies = fields.map(({ name, type }) => copy(name, valueRows(each.source, name, type)));
  return `${copies.join('\nUNION ALL ') || none}${textOf(all.slice(end))}`;
}

/** Returns where the first UNION ALL outside of brackets begins, or else the end. */
function endOfFirst(tokens: readonly SqlToken[]): number {
  let depth = 0;
  for (const [at, { kind, text: written }] of tokens.entries()) {
    if (kind === 'sign') depth += { '(': 1, ')': -1 }[written] ?? 0;
    if (depth > 0 || written.toLowerCase() !== 'union') continue;
    const next = tokens.slice(at + 1).find(isCode);
    if (next?.text.toLowerCase() === 'all') return at;
  }
  return tokens.length;
}

/** Returns the texts of tokens, with rows instead of a table's name. */
function withRows(tokens: readonly SqlToken[], table: string, rows: string): string[] {
  const parts = table.split(/(\.)/);
  const texts = tokens.map((token) => token.text);
  for (let at = 0; at < texts.length; at++)
    if (parts.every((part, index) => texts[at + index] === part)) texts.splice(at, parts.length, rows);
  return texts;
}

/**
 * Returns the rows of a column's values. A single value is not unnested as a list, which would take five times as long.
 */
function valueRows(source: string, name: string, type: string): string {
  const column = `source.${ident(name)}`;
  if (!type.endsWith('[]')) {
    return `CAST(${column} AS VARCHAR) AS "each" FROM ${source} AS source WHERE ${column} IS NOT NULL`;
  }
  const items = `UNNEST(array_distinct(CAST(${column} AS VARCHAR[]))) AS items(item)`;
  return `items.item AS "each" FROM ${source} AS source CROSS JOIN ${items} WHERE items.item IS NOT NULL`;
}

const fieldsOf = (present: SourceTables, source: string) => [...(present.get(source)?.values() ?? [])];
