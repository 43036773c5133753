import { isCode, sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import { lookUp } from '../../../../core/text/look-up.ts';

/**
 * Replaces the tables of a schema that exists in no engine, such as `issues.found`, with SELECTs.
 *
 * @param selects makers of the SELECTs, by the names of the tables
 */
export function giveTables(
  sql: string,
  schema: string,
  selects: Readonly<Record<string, () => string>>,
): { readonly sql: string; readonly given: ReadonlySet<string> } {
  // Most SQL uses none.
  if (!mayName(sql.toLowerCase(), schema)) return { sql, given: new Set() };
  const tokens = sqlTokens(sql);
  const code = tokens.flatMap((token, at) => (isCode(token) ? [{ text: token.text.toLowerCase(), at }] : []));
  const texts = tokens.map(({ text }) => text);
  const given = new Set<string>();
  for (const [index, { text, at }] of code.entries()) {
    const [dot, table] = code.slice(index + 1, index + 3);
    if (text !== schema || dot?.text !== '.' || table === undefined || code[index - 1]?.text === '.')
      continue;
    const select = lookUp(selects, table.text);
    if (select === undefined) continue;
    for (let part = at; part <= table.at; part++) texts[part] = '';
    texts[at] = `(${select()}\n)`;
    given.add(table.text);
  }
  return { sql: texts.join(''), given };
}

/** Returns whether a dot follows the name of a schema, or a comment, which may come between them. */
function mayName(sql: string, schema: string): boolean {
  for (let at = sql.indexOf(schema); at !== -1; at = sql.indexOf(schema, at + 1))
    if (/^\s*(?:[.]|--|[/][*])/.test(sql.slice(at + schema.length))) return true;
  return false;
}
