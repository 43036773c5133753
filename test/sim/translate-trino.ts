/** A statement that writes, with a question for the rows that it inserts, or for the `rowid` of those that it removes. */
export interface Written {
  /** Of these, only `merge` is refused where another statement has committed to one of its partitions. */
  readonly kind: 'insert' | 'merge' | 'delete';
  readonly table: string;
  readonly select: string;
  /** A deletion of whole partitions takes what is there when it commits. */
  readonly isOfPartitions?: boolean;
}

type Translated = Written | { readonly kind: 'read'; readonly sql: string } | { readonly kind: 'nothing' };

const MERGE =
  /^MERGE INTO (\S+) AS known USING ([\s\S]+?) AS given(?: \(([^)]*)\))?\s+ON ([\s\S]+?)\s+WHEN NOT MATCHED THEN INSERT VALUES \(([\s\S]+)\)$/;

/** Statements of Trino about pointers, in the SQL of SQLite. */
export function translateTrino(sql: string): Translated {
  const text = sql
    .trim()
    .replaceAll('"store".', '')
    .replace(/\bBIGINT '(-?\d+)'/g, '$1')
    .replace(/SELECT \* FROM \(([\s\S]*)\) AS wanted \(([^)]*)\)/, (_, from: string, columns: string) => {
      return `SELECT * FROM (WITH wanted(${columns}) AS (${from}) SELECT * FROM wanted)`;
    });
  const merge = MERGE.exec(text);
  if (merge) {
    const [, table = '', from = '', columns, on = '', values = ''] = merge;
    const given = columns === undefined ? from : `(WITH one(${columns}) AS ${from} SELECT * FROM one)`;
    const taken = `SELECT 1 FROM ${table} AS known WHERE ${on}`;
    const named = namesOf(table, values);
    return {
      kind: 'merge',
      table,
      select: `SELECT ${named} FROM ${given} AS given WHERE NOT EXISTS (${taken})`,
    };
  }
  const [, table = '', rest = ''] = /^(?:INSERT INTO|DELETE FROM) (\S+) ([\s\S]+)$/.exec(text) ?? [];
  if (text.startsWith('INSERT')) return { kind: 'insert', table, select: `SELECT * FROM (${rest})` };
  if (text.startsWith('DELETE')) {
    const isOfPartitions = /^WHERE token < \d+$/.test(rest);
    return { kind: 'delete', table, select: `SELECT rowid FROM ${table} ${rest}`, isOfPartitions };
  }
  return text.startsWith('ALTER') ? { kind: 'nothing' } : { kind: 'read', sql: text };
}

const COLUMNS = ['token', 'seq', 'relation', 'unit', 'load_id'];

/** The values of a row with the names of its columns: the first is the partition. */
function namesOf(table: string, values: string): string {
  const each = values.split(', ');
  if (each.length !== COLUMNS.length) throw new Error(`not a row of ${table}: ${values}`);
  return each.map((value, index) => `${value} AS ${COLUMNS[index]}`).join(', ');
}
