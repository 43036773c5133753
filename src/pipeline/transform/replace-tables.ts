import type { SqlReferences } from './sql-references.ts';
import type { TableReference } from './table-references.ts';

/** A piece of the SQL, in bytes, and what stands there instead. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/**
 * Puts a subquery (on one line) in the place of tables, under the alias or name that the table had. Which words are
 * tables, and where they stand, is what DuckDB's parser says; the rest of the text is left alone, because
 * `json_deserialize_sql` writes another one: it loses comments and lines (so errors name wrong ones), turns
 * `lambda x: …` into the arrow that DuckDB gives up, and spells out `ORDER BY ALL` and list comprehensions.
 */
export function replaceTables(
  sql: string,
  { tables, columns }: SqlReferences,
  subqueryOf: (reference: TableReference) => string | undefined,
): string {
  const bytes = Buffer.from(sql);
  const edits: Edit[] = [];
  const replaced = new Set<string>();
  for (const reference of tables) {
    const subquery = subqueryOf(reference);
    if (subquery === undefined) continue;
    const parts = [reference.catalog, reference.schema, reference.name].filter((part) => part !== '');
    const end = reference.offset + nameLength(bytes, reference.offset, parts);
    const name = bytes.subarray(reference.offset, end).toString();
    const alias = reference.alias === '' ? ` AS ${lastPart(name)}` : '';
    edits.push({ start: reference.offset, end, instead: `(${subquery})${alias}` });
    if (reference.alias === '') replaced.add(parts.join('.').toLowerCase());
  }
  for (const column of columns) {
    // `raw.t.c` names its table by schema, which a subquery has not.
    const prefix = column.names.slice(0, -1);
    for (let length = prefix.length; length > 1; length--) {
      const parts = prefix.slice(0, length);
      if (!replaced.has(parts.join('.').toLowerCase())) continue;
      const end = column.offset + nameLength(bytes, column.offset, parts);
      const name = bytes.subarray(column.offset, end).toString();
      edits.push({ start: column.offset, end, instead: lastPart(name) });
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

const PART = String.raw`"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*`;
const GAP = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)*`;

/** How many bytes a qualified name takes, once sure that it is the one the parser means. */
function nameLength(bytes: Buffer, offset: number, parts: readonly string[]): number {
  const pattern = parts.map(() => `(${PART})`).join(`${GAP}\\.${GAP}`);
  const match = new RegExp(`^${pattern}`, 'u').exec(bytes.subarray(offset).toString());
  const same = match && parts.every((part, index) => sameName(match[index + 1] ?? '', part));
  if (!same) throw new Error(`the parser's position of ${parts.join('.')} does not have its name`);
  return Buffer.byteLength(match[0]);
}

function sameName(written: string, name: string): boolean {
  const bare = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
  return bare.toLowerCase() === name.toLowerCase();
}

function lastPart(name: string): string {
  return new RegExp(`(?:${PART})$`, 'u').exec(name)?.[0] ?? name;
}
