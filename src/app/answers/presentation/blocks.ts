/**
 * An answer for people as a plain value: a list of blocks, made from facts in `app/answers/` or `app/operations/`. A
 * terminal prints them as text (`app/answers/presentation/print-blocks.ts`), the console and the report as HTML
 * (`app/answers/presentation/print-html.ts`).
 */
export type Block = Section | Line | Facts | Table | Problems | Next | DayChart | Folded | Preview | Chosen;

/** The format of a value. A `weight` is out of 100, and a bar in a browser. */
export type Kind =
  | 'text'
  | 'code'
  | 'status'
  | 'severity'
  | 'count'
  | 'bytes'
  | 'duration'
  | 'age'
  | 'time'
  | 'weight';

/** Figures and times in words, such as `next run`, stay unchanged. Null means unknown. */
export type Value = string | number | bigint | null;

/** The target of a value: an address in the console. A terminal shows no link. */
export type Link =
  | { readonly to: 'unit'; readonly unit: string }
  | { readonly to: 'run'; readonly run_id: string }
  | { readonly to: 'project'; readonly project_id: string }
  | { readonly to: 'web'; readonly address: string }
  | { readonly to: 'url'; readonly project_id: string; readonly url: string; readonly crawl_id: string }
  /** The pages of a filter. */
  | {
      readonly to: 'pages';
      readonly project_id: string;
      readonly parts: Readonly<Record<string, string | readonly string[] | null | undefined>>;
    }
  | ({ readonly to: 'crawl' } & LinkedCrawl);

export interface LinkedCrawl {
  readonly crawl_id: string;
  readonly crawl_number?: number | bigint | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
}

export interface ShownValue {
  readonly value: Value;
  /** By default the kind of its column, or `text`. */
  readonly kind?: Kind;
  readonly link?: Link | null;
  /** Not shown on a terminal. */
  readonly tone?: 'good' | 'warn' | 'bad' | 'plain' | 'before' | 'after';
  /** The values up to this one, oldest first; null is unknown. Not shown on a terminal. */
  readonly trend?: { readonly label: string; readonly values: readonly (number | null)[] };
}

type Sentence = readonly (string | ShownValue)[];

export type Cell = Value | ShownValue | Sentence;

export type Words = string | Sentence;

/** A part with a title, or one that is only visually separated. */
export interface Section {
  readonly is: 'section';
  readonly title: string | null;
  readonly blocks: readonly Block[];
}

export interface Line {
  readonly is: 'line';
  readonly words: Words;
  readonly tone: 'plain' | 'good' | 'notice';
}

/** Names with values: on one line of a terminal if there is a title, else one per line. */
interface Facts {
  readonly is: 'facts';
  readonly title: string | null;
  readonly facts: readonly (readonly [name: string, value: Cell])[];
}

interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** On a narrow terminal, its cells move below the rows. */
  readonly isBelow: boolean;
  /** The only printer that shows this block: command arguments are for a terminal, and links are for a browser. */
  readonly only: 'terminal' | 'browser' | null;
  readonly sort: Sort | null;
  /** If no row has a value, a browser names the column below the table instead. */
  readonly isOptional: boolean;
}

interface Sort {
  /** The table in the order of this column, or in the opposite order if it already is. */
  readonly link: Link;
  readonly now: 'ascending' | 'descending' | null;
}

export interface TableRow {
  readonly cells: readonly Cell[];
  /** The row sums up the following rows for which this is false. */
  readonly isHead?: boolean;
  /** Lines that a browser shows below the first cell; not shown on a terminal. */
  readonly below?: readonly Cell[];
  /** A panel that a browser opens next to the table from the first cell; not shown on a terminal. */
  readonly panel?: { readonly blocks: readonly Block[]; readonly isOpen: boolean } | null;
  /** Below the row on a terminal, the last cell in a browser. */
  readonly cause: Words | null;
}

/** Names of columns: as people write them, or as in SQL. */
export type Names = 'people' | 'columns';

export interface Table {
  readonly is: 'table';
  /** The subject of the rows. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** The title of the causes; null if no row can have one. */
  readonly cause: string | null;
  /** The text for a table without rows. */
  readonly empty: Words;
  readonly rest: Rest | null;
  /**
   * On a narrow terminal, cells are cut. With `lifted`, columns with the same value in every row also move above the
   * table there.
   */
  readonly isCut: boolean | 'lifted';
  /** Names as in SQL are made readable in a browser. */
  readonly names: Names;
  /** What a browser shows for an unknown value; null is a dash, as on a terminal. */
  readonly unknown: string | null;
}

/** How to get the rows that a table omits. */
export interface Rest {
  readonly total: number;
  /** The noun for one row: `link`. */
  readonly noun: string;
  /** The maximum number of rows on a terminal. */
  readonly first: number;
  /** The command that shows all rows on a terminal. */
  readonly command: string;
  /** The address of their download in the console, if there is one; its query does not name columns yet. */
  readonly address: string | null;
}

/** Figures by day, whose names are in the first column. A terminal shows the command instead. */
export interface DayChart {
  readonly is: 'chart';
  readonly label: string;
  readonly table: Table;
  /** The columns that are drawn. */
  readonly lines: readonly string[];
  readonly command: string;
}

/** Details for few readers. A terminal shows the command instead. */
interface Folded {
  readonly is: 'folded';
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly command: string;
}

/** A page as it may look in search results. */
interface Preview {
  readonly is: 'preview';
  readonly address: string;
  readonly title: ShownValue;
  readonly text: ShownValue;
}

export interface Problems {
  readonly is: 'problems';
  readonly problems: readonly {
    readonly title: string;
    /** ISO 8601, UTC; null if unknown; undefined: not shown. */
    readonly began?: string | null;
    readonly details: readonly Words[];
    readonly todo: Words | null;
    /** A notice is not a failure. */
    readonly isNotice?: boolean;
  }[];
}

/** The chosen filters, each with the link that removes it; a terminal shows none, because the user typed them. */
interface Chosen {
  readonly is: 'chosen';
  readonly parts: readonly { readonly text: string; readonly without: Link }[];
}

interface Next {
  readonly is: 'next';
  readonly command: string;
}

export function section(title: string | null, ...blocks: readonly Block[]): Section {
  return { is: 'section', title, blocks };
}

export function line(words: Words, tone: Line['tone'] = 'plain'): Line {
  return { is: 'line', words, tone };
}

export interface ColumnOf<T> extends Pick<Column, 'name'>, Partial<Omit<Column, 'name'>> {
  readonly of: (row: T) => Cell;
}

export function tableOf<T>(
  label: string,
  columns: readonly ColumnOf<T>[],
  rows: readonly T[],
  {
    empty = '',
    cause,
    rest = null,
    isCut = false,
    names = 'people',
    unknown = null,
    beside,
  }: Partial<Pick<Table, 'empty' | 'rest' | 'isCut' | 'names' | 'unknown'>> & {
    readonly cause?: { readonly name: string; readonly of: (row: T) => Words | null };
    readonly beside?: (row: T) => Pick<TableRow, 'isHead' | 'panel' | 'below'>;
  } = {},
): Table {
  return {
    is: 'table',
    label,
    columns: columns.map(({ of: _of, ...column }) => {
      return { kind: 'text', isBelow: false, only: null, sort: null, isOptional: false, ...column };
    }),
    rows: rows.map((row) => ({
      cells: columns.map(({ of }) => of(row)),
      cause: cause?.of(row) ?? null,
      ...beside?.(row),
    })),
    cause: cause?.name ?? null,
    empty,
    rest,
    isCut,
    names,
    unknown,
  };
}

export function shownIn(table: Table, printer: NonNullable<Column['only']>): Table {
  return onlyColumns(table, ({ only }) => only === null || only === printer);
}

/** Returns the table without the optional columns that have no value in its rows, and the names of these columns. */
export function withoutEmptyColumns(table: Table): {
  readonly table: Table;
  readonly empty: readonly string[];
} {
  const isEmpty = ({ isOptional }: Column, index: number): boolean =>
    isOptional &&
    table.rows.length > 0 &&
    table.rows.every(({ cells }) => plainValue(cells[index] ?? null) === null);
  const empty = table.columns.filter(isEmpty).map(({ name }) => name);
  return { table: onlyColumns(table, (column, index) => !isEmpty(column, index)), empty };
}

function onlyColumns(table: Table, isShown: (column: Column, index: number) => boolean): Table {
  const shown = table.columns.map(isShown);
  const keep = (_: unknown, index: number): boolean => shown[index] === true;
  return {
    ...table,
    columns: table.columns.filter(keep),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter(keep) })),
  };
}

/** Kinds that are right-aligned. */
const FIGURES: readonly Kind[] = ['count', 'bytes', 'duration', 'age'];

export function isFigure({ columns, rows }: Table, index: number): boolean {
  const isNumber = (cell: Cell): boolean => ['number', 'bigint'].includes(typeof plainValue(cell));
  return (
    FIGURES.includes(columns[index]?.kind ?? 'text') ||
    rows.some(({ cells }) => isNumber(cells[index] ?? null))
  );
}

export function isSentence(cell: Cell): cell is Sentence {
  return Array.isArray(cell);
}

/** Returns the value of a cell; null for a sentence. */
export function plainValue(cell: Cell): Value {
  return isSentence(cell) ? null : shownValue(cell).value;
}

export function shownValue(
  cell: Value | ShownValue,
  kind: Kind = 'text',
): ShownValue & { readonly kind: Kind } {
  return cell !== null && typeof cell === 'object' ? { kind, ...cell } : { kind, value: cell };
}

export function unitCell({ unit }: { readonly unit: string }): ShownValue {
  return { value: unit, link: { to: 'unit', unit } };
}

export function moment(time: string): readonly (string | ShownValue)[] {
  return [{ value: time, kind: 'time' }, ' UTC'];
}
