import type { FieldEntry } from '../src/client/fields/field-entry.ts';
import { PAGE_FIELD_ENTRIES } from '../src/client/fields/page-fields.ts';
import { columnType } from '../src/etl/project/model/field.ts';

const ENTRIES: ReadonlyMap<string, FieldEntry> = new Map(PAGE_FIELD_ENTRIES);
const WIDTH = 120;
const INDENT = '    ';
/** A field that the model reads as another type than that of its entry. */
const READ_AS: Readonly<Record<string, string>> = {
  indexable: `${INDENT}# An enum or a bool, as the crawl has it: TEXT holds units to neither.\n${INDENT}indexable: TEXT\n`,
};

/**
 * `sql/crawl_pages/pages.sql` with the head that its SELECT and the table of page fields make: a column that is a field as
 * the crawl has it gets the field's description, and `reads` names each field that the SQL names. What else stands in
 * the head stays as it is written.
 *
 * @throws Error for a column of the model's own without a description
 */
export function withPagesHead(model: string): string {
  const [before = '', columns = '', reads = '', sql = ''] = partsOf(model);
  const written = new Map(
    [...columns.matchAll(/^ {2}(\S+):.*\n(?: {4}.*\n)*/gm)].map(([lines, name = '']) => [name, lines]),
  );
  const described = outputColumns(sql).map(({ name, isField }) => {
    const entry = isField ? ENTRIES.get(name) : undefined;
    const lines = entry === undefined ? written.get(name) : descriptionOf(name, entry);
    if (lines === undefined) throw new Error(`columns of pages.sql has no description of ${name}`);
    return lines;
  });
  const named = new Set(sql.replaceAll(/--.*/g, '').match(/\w+/g));
  const types = PAGE_FIELD_ENTRIES.filter(([name]) => named.has(name)).map(
    ([name, { type, arity }]) => READ_AS[name] ?? `${INDENT}${name}: ${columnType({ name, type, arity })}\n`,
  );
  const own = reads.match(/^ {4}_.*\n/gm) ?? [];
  return model
    .replace(`${before}${columns}`, () => `${before}${described.join('')}`)
    .replace(reads, () => [...own, ...types].join(''));
}

/** `sql/contract.yaml`, or a copy of it, with the columns that `mart.pages` has beyond it. A column that went stays. */
export function withPagesColumns(contract: string, model: string): string {
  const columns = outputColumns(partsOf(model)[3] ?? '').map(({ name }) =>
    name.includes('*') ? `"${name}"` : name,
  );
  return contract.replace(/(?<=^ {2}mart\.pages:\n {4}\[\n)[^\]]*(?= {4}\])/m, (former) => {
    const isWhole = former.match(/[^\s,]+/g)?.every((name) => columns.includes(name)) === true;
    return isWhole ? columns.map((name) => `      ${name},\n`).join('') : former;
  });
}

/** The head up to its columns, the columns, the fields that are read, and the SQL. */
function partsOf(model: string): readonly string[] {
  const parts =
    /^(.*?\ncolumns:\n)(.*?)reads:\n {2}raw\.crawl_pages:\n(.*?) {2}ops\.loads:\n.*?\*\/(.*)$/s.exec(model);
  if (parts === null) throw new Error('pages.sql has no columns and reads where they are looked for');
  return parts.slice(1);
}

/** The columns of the last SELECT: `name,` or `… AS name,`, each at the end of a line; those of a load come last. */
function outputColumns(sql: string): { readonly name: string; readonly isField: boolean }[] {
  const select = sql.slice(sql.lastIndexOf('\nSELECT\n'));
  const columns = select.matchAll(/^ {2}"?([\w*]+)"?(?:,$|(?=\nFROM))| AS (\w+),$/gm);
  return [...columns]
    .map(([, field, own = '']) => ({ name: field ?? own, isField: field !== undefined }))
    .sort((a, b) => Number(a.name.startsWith('_')) - Number(b.name.startsWith('_')));
}

function descriptionOf(name: string, { description }: FieldEntry): string {
  const text = `${description.replace(/\.$/, '')} (raw.crawl_pages.${name}).`;
  const line = `  ${name}: ${/: | #/.test(text) ? JSON.stringify(text) : text}`;
  if (line.length <= WIDTH) return `${line}\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (INDENT.length + longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return `  ${name}: >-\n${lines.map((text) => `${INDENT}${text}\n`).join('')}`;
}
