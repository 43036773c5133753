import { plainSpaces } from '../../../../core/duckdb/sql-spaces.ts';
import { isCode, nameOf, sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import type { SqlReferences } from './sql-references.ts';
import type { TableReference } from './table-references.ts';

/** A piece of the SQL, in bytes, and its replacement. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/**
 * Replaces tables with a subquery (on one line), under the alias or name that the table had. DuckDB's parser finds the
 * tables and their positions. The rest of the text stays unchanged. `json_deserialize_sql` would write a different
 * text: it loses comments and line breaks (so errors name wrong lines), turns `lambda x: …` into the deprecated arrow,
 * and expands `ORDER BY ALL` and list comprehensions.
 */
export function replaceTables(
  sql: string,
  { tables: given, columns }: SqlReferences,
  subqueryOf: (reference: TableReference) => string | undefined,
): string {
  const tables = given.flatMap((reference) => {
    const subquery = subqueryOf(reference);
    return subquery === undefined ? [] : [{ reference, subquery }];
  });
  if (tables.length === 0) return plainSpaces(sql);
  const bytes = Buffer.from(plainSpaces(sql));
  const find = namesIn(sql);
  const edits: Edit[] = [];
  const replaced = new Set<string>();
  for (const { reference, subquery } of tables) {
    const parts = [reference.catalog, reference.schema, reference.name].filter((part) => part !== '');
    const { end, last } = find(reference.offset, parts);
    const alias = reference.alias === '' ? ` AS ${last}` : '';
    edits.push({ start: reference.offset, end, instead: `(${subquery})${alias}` });
    if (reference.alias === '') replaced.add(parts.join('.').toLowerCase());
  }
  for (const column of columns) {
    // `raw.t.c` names its table by schema, which a subquery does not have.
    const prefix = column.names.slice(0, -1);
    for (let length = prefix.length; length > 1; length--) {
      const parts = prefix.slice(0, length);
      if (!replaced.has(parts.join('.').toLowerCase())) continue;
      const { end, last } = find(column.offset, parts);
      edits.push({ start: column.offset, end, instead: last });
      break;
    }
  }
  return apply(bytes, edits);
}

function apply(bytes: Buffer, edits: readonly Edit[]): string {
  let at = 0;
  let result = '';
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at) continue;
    result += bytes.subarray(at, edit.start).toString() + edit.instead;
    at = edit.end;
  }
  return result + bytes.subarray(at).toString();
}

/** Finds where a name ends, and its last part as written, once certain that the parser means this name. */
function namesIn(sql: string) {
  const tokens = sqlTokens(sql).filter(isCode);
  const places = new Map(tokens.map(({ offset }, place) => [offset, place]));
  return (offset: number, parts: readonly string[]): { readonly end: number; readonly last: string } => {
    const place = places.get(offset) ?? tokens.length;
    const written = tokens.slice(place, place + 2 * parts.length - 1);
    const isSame = parts.every((part, index) => {
      const name = nameOf(written[2 * index]);
      const isJoined = index === 0 || written[2 * index - 1]?.text === '.';
      return isJoined && name?.toLowerCase() === part.toLowerCase();
    });
    const last = written.at(-1);
    if (!isSame || last === undefined)
      throw new Error(`the parser's position of ${parts.join('.')} does not have its name`);
    return { end: last.offset + Buffer.byteLength(last.text), last: last.text };
  };
}
