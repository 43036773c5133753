/** Statements of one transaction. Values are bound to `$1`, `$2`; times are ISO 8601 texts. */
export interface LedgerStatements {
  rows<R = LedgerRow>(sql: string, values?: readonly unknown[]): Promise<R[]>;
}

export type LedgerRow = Readonly<Record<string, unknown>>;

/** Runs statements in a transaction that checks the right to write. */
export type LedgerWrite = <T>(work: (statements: LedgerStatements) => Promise<T>) => Promise<T>;

/** The tables of one project, and how its statements differ between databases. */
export interface SqlDatabase extends LedgerStatements, AsyncDisposable {
  readonly write: LedgerWrite;
  readonly project: string;
  /** Limits rows to the project, which is `$1`. */
  readonly own: string;
  /** The columns of a row that name its project. */
  readonly owner: LedgerRow;
  /** Locks the rows of a SELECT if the transaction alone does not. */
  readonly forUpdate: string;
  /** Sorts texts by their bytes. */
  readonly binary: string;
  readonly mostRows: number;
  table(name: string): string;
  /** Returns the unique columns of a table whose rows have this key in a project. */
  key(column: string): string;
}

/** Inserts rows that all have the same columns. `conflict` is the rest of the statement. */
export async function insertRows(
  database: SqlDatabase,
  statements: LedgerStatements,
  into: string,
  { rows, conflict = '' }: { readonly rows: readonly LedgerRow[]; readonly conflict?: string },
): Promise<void> {
  const columns = Object.keys({ ...database.owner, ...rows[0] });
  const head = `INSERT INTO ${database.table(into)} AS known (${columns.join(', ')}) VALUES`;
  let values = '';
  for (let from = 0; from < rows.length; from += database.mostRows) {
    const some = rows.slice(from, from + database.mostRows);
    // All but the last have the same number of rows.
    if (from === 0 || some.length < database.mostRows) values = placesOf(some.length, columns.length);
    const given = some.flatMap((row) => Object.values({ ...database.owner, ...row }));
    await statements.rows(`${head} ${values} ${conflict}`, given);
  }
}

/** Returns placeholders such as `($1, $2), ($3, $4)`. */
function placesOf(rows: number, columns: number): string {
  return Array.from({ length: rows }, (_, row) => {
    const places = Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`);
    return `(${places.join(', ')})`;
  }).join(', ');
}

export async function deleteRows(
  database: SqlDatabase,
  statements: LedgerStatements,
  {
    from,
    column,
    keys,
  }: { readonly from: string; readonly column: string; readonly keys: readonly string[] },
): Promise<void> {
  for (let first = 0; first < keys.length; first += database.mostRows) {
    const some = keys.slice(first, first + database.mostRows);
    const places = some.map((_, place) => `$${place + 2}`).join(', ');
    await statements.rows(
      `DELETE FROM ${database.table(from)} WHERE ${database.own} AND ${column} IN (${places})`,
      [database.project, ...some],
    );
  }
}

export function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** @param text of a column of JSON */
export function ofJson<T>(text: unknown): T {
  return text === null ? (null as T) : (JSON.parse(String(text)) as T);
}
