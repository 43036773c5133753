/**
 * What a person is shown, as a plain value: a list of blocks, made from facts in `answers/` or `operations/`. A terminal
 * has them as text (`people/cli/reports/print-blocks.ts`), the console and the report as HTML
 * (`answers/report/print-html.ts`).
 */
export type Block = Section | Line | Facts | Table | Problems | Next | DayChart | Folded | Preview | Chosen;

/** How a value is written. A `weight` is of 100, and a bar in a browser. */
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

/** A figure or time in words, such as `next run`, stays as it is. Null is not known. */
export type Value = string | number | bigint | null;

/** Where a value leads: an address in the console, nothing on a terminal. */
export type Link =
  | { readonly to: 'unit'; readonly unit: string }
  | { readonly to: 'run'; readonly run_id: string }
  | { readonly to: 'project'; readonly project_id: string }
  | { readonly to: 'web'; readonly address: string }
  | { readonly to: 'url'; readonly project_id: string; readonly url: string; readonly crawl_id: string }
  /** The pages that a filter lets through. */
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
  /** Without one, that of its column, or `text`. */
  readonly kind?: Kind;
  readonly link?: Link | null;
  /** Has no sign on a terminal. */
  readonly tone?: 'good' | 'warn' | 'bad' | 'plain' | 'before' | 'after';
  /** The values up to this one, the oldest first; null is not known. A terminal leaves them out. */
  readonly trend?: { readonly label: string; readonly values: readonly (number | null)[] };
}

type Sentence = readonly (string | ShownValue)[];

export type Cell = Value | ShownValue | Sentence;

export type Words = string | Sentence;

/** A part with a title, or one that only stands apart. */
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

/** Values with their names: with a title on one line of a terminal, without one a line each. */
interface Facts {
  readonly is: 'facts';
  readonly title: string | null;
  readonly facts: readonly (readonly [name: string, value: Cell])[];
}

interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** It leaves the table on a narrow terminal: its cell stands below the row. */
  readonly isBelow: boolean;
  /** The printer that alone shows it: what commands take is for a terminal, where a browser has links. */
  readonly only: 'terminal' | 'browser' | null;
  readonly sort: Sort | null;
}

/** The order of rows by a column. */
interface Sort {
  /** The rows in this order, or in the other one where they are so now. */
  readonly link: Link;
  readonly now: 'ascending' | 'descending' | null;
}

export interface TableRow {
  readonly cells: readonly Cell[];
  /** It sums up the rows below that have false. */
  readonly isHead?: boolean;
  /** What a browser shows below the first cell, a line each; a terminal leaves it out. */
  readonly below?: readonly Cell[];
  /** What a browser shows beside the table once the first cell is opened; a terminal leaves it out. */
  readonly panel?: { readonly blocks: readonly Block[]; readonly isOpen: boolean } | null;
  /** Below the row on a terminal, the last cell in a browser. */
  readonly cause: Words | null;
}

/** What columns are called: as people do, or as SQL does. */
export type Names = 'people' | 'columns';

export interface Table {
  readonly is: 'table';
  /** What its rows are. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** The name of the causes; null where no row can have one. */
  readonly cause: string | null;
  /** What to say without rows. */
  readonly empty: Words;
  readonly rest: Rest | null;
  /** Its cells are cut on a narrow terminal; `lifted`: columns that are the same in every row stand above it there. */
  readonly isCut: boolean | 'lifted';
  /** Its columns are named as in SQL, which a browser makes readable. */
  readonly names: Names;
  /** What a browser shows for a value that is not known; null is a dash, as on a terminal. */
  readonly unknown: string | null;
}

/** Where to find the rows that a table leaves out. */
export interface Rest {
  /** Of all rows. */
  readonly total: number;
  /** What one row is: `link`. */
  readonly noun: string;
  /** The most rows on a terminal. */
  readonly first: number;
  /** Shows them on a terminal. */
  readonly command: string;
  /** Downloads them in the console, if it can; its query has no names of columns yet. */
  readonly address: string | null;
}

/** Figures by day, whose names stand in the first column. A terminal names the command that shows them. */
export interface DayChart {
  readonly is: 'chart';
  readonly label: string;
  readonly table: Table;
  /** The columns that are drawn. */
  readonly lines: readonly string[];
  readonly command: string;
}

/** What few people look at. A terminal names the command that shows it. */
interface Folded {
  readonly is: 'folded';
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly command: string;
}

/** A page as a search result. */
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
    /** ISO 8601, UTC; null: not known; undefined: nothing is said of it. */
    readonly began?: string | null;
    readonly details: readonly Words[];
    readonly todo: Words | null;
    /** It is no failure. */
    readonly isNotice?: boolean;
  }[];
}

/** What was chosen, each part with the link that takes it away; on a terminal a person has written it. */
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
      return { kind: 'text', isBelow: false, only: null, sort: null, ...column };
    }),
    rows: rows.map((row) => ({
      cells: columns.map(({ of }) => of(row)),
      cause: cause?.of(row) ?? null,
      ...beside?.(row),
    })),
    cause: cause?.name ?? null,
    ...{ empty, rest, isCut, names, unknown },
  };
}

/** A table as one of the printers shows it. */
export function shownIn(table: Table, printer: NonNullable<Column['only']>): Table {
  const isShown = (_: unknown, index: number): boolean =>
    [null, printer].includes(table.columns[index]?.only ?? null);
  return {
    ...table,
    columns: table.columns.filter(isShown),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter(isShown) })),
  };
}

/** Kinds that are aligned right. */
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

/** The value of a cell; null for a sentence. */
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
