import { lookUp } from '../../../core/look-up.ts';
import { isCode, sqlTokens } from '../../../core/sql-tokens.ts';

/**
 * SQL with SELECTs in place of the tables of a schema that no engine has, such as `issues.found`.
 *
 * @param selects makers of the SELECTs, by the names of the tables
 */
export function giveTables(
  sql: string,
  schema: string,
  selects: Readonly<Record<string, () => string>>,
): { readonly sql: string; readonly given: ReadonlySet<string> } {
  if (!sql.toLowerCase().includes(schema)) return { sql, given: new Set() };
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
