import { ident, type Row, text } from '../../../core/duckdb/duckdb.ts';
import type { ModelPlace } from '../../../engines/model-engine.ts';
import type { NewUnit } from '../../../engines/new-units.ts';
import type { DataTest } from '../../../project/sql/models/data-tests.ts';

/** Columns by which a row names where it is from, as `raw` and the models that ship call them. */
const SOURCE_COLUMNS = ['_source_id', '_crawl_id', 'crawl_id', 'previous_crawl_id', 'comparison_id'];
const PROJECT_COLUMNS = ['_project_id', 'project_id'];
const WINDOW_COLUMNS = ['_window', 'day', 'week_start_date', 'month_start_date', 'date'];
const NAMING = ['_unit', ...SOURCE_COLUMNS, ...PROJECT_COLUMNS, ...WINDOW_COLUMNS];

/** Rows that break a test and name the same units. */
export interface AttributedRows {
  readonly rows: number;
  /** A value or two of one of them. */
  readonly example: string;
  /** Names of the units that they may be of; empty where they name none that is new. */
  readonly units: readonly string[];
  /** Whether they name the units themselves, and not only the project. */
  readonly isExact: boolean;
}

/**
 * Finds the new units of the rows that break a test, by their columns. These are `_unit`; else the ids of crawls and
 * comparisons, and project and day; if none of these is new, the project.
 */
export async function attributeRows(
  { connection, engine }: ModelPlace,
  test: DataTest,
  units: readonly NewUnit[],
  signal?: AbortSignal,
): Promise<AttributedRows[]> {
  const rows = `(${test.wholeRows ?? test.rows}\n)`;
  const described = await connection.rows<{ column_name: string }>(
    `DESCRIBE SELECT * FROM ${rows} AS broken`,
  );
  const columns = described.map((column) => column.column_name);
  const naming = NAMING.filter((name) => columns.includes(name));
  const texts = naming.map((name) => `CAST(${ident(name)} AS VARCHAR)`);
  const named = texts.map((value, index) => `${value} AS ${ident(naming[index] ?? '')}`);
  const broken = await engine.queries.jsonRows(
    `SELECT ${[...named, 'count(*) AS n'].join(', ')}, min(${exampleOf(test, columns)}) AS example
     FROM ${rows} AS broken${texts.length > 0 ? ` GROUP BY ${texts.join(', ')}` : ''}`,
    [],
    signal,
  );
  const types = Object.fromEntries([...naming, 'n', 'example'].map((name) => [name, 'VARCHAR']));
  const found = await connection.rows<{ n: bigint; example: string; exact: string; near: string } & Row>(
    `WITH suspect AS (
       SELECT unnest(from_json(${text(JSON.stringify(units.map(flat)))}, '[{"unit":"VARCHAR","kind":"VARCHAR",
         "source_id":"VARCHAR","project_id":"VARCHAR","window_from":"VARCHAR","window_to":"VARCHAR"}]'),
         recursive := true)
     ),
     broken AS (
       SELECT unnest(from_json(${text(JSON.stringify(broken))}, ${text(JSON.stringify([types]))}), recursive := true)
     ),
     numbered AS (SELECT *, row_number() OVER () AS number FROM broken)
     SELECT CAST(any_value(b.n) AS BIGINT) AS n, any_value(b.example) AS example,
       to_json(list(s.unit ORDER BY s.unit) FILTER (s.is_exact))::VARCHAR AS exact,
       to_json(list(s.unit ORDER BY s.unit) FILTER (NOT s.is_exact))::VARCHAR AS near
     FROM numbered AS b
     LEFT JOIN LATERAL (
       SELECT unit, ${exactMatch(naming)} AS is_exact FROM suspect WHERE ${exactMatch(naming)} OR ${nearMatch(naming)}
     ) AS s ON true
     GROUP BY b.number ORDER BY b.number`,
    [],
    signal,
  );
  return found.map(({ n, example, exact, near }) => {
    const units = list(exact);
    return {
      rows: Number(n),
      example: example ?? '',
      units: units.length > 0 ? units : list(near),
      isExact: units.length > 0,
    };
  });
}

const list = (json: string | null): string[] => JSON.parse(json ?? 'null') ?? [];

function flat({ unit, source, window }: NewUnit): Record<string, string | null> {
  return {
    unit,
    kind: source.kind,
    source_id: source.id,
    project_id: source.project_id,
    window_from: window?.from ?? null,
    window_to: window?.to ?? null,
  };
}

/** SQL that is true for a unit that a row names itself. */
function exactMatch(naming: readonly string[]): string {
  if (naming.includes('_unit')) return 'coalesce(unit = b._unit, false)';
  const of = (columns: readonly string[]): string[] => columns.filter((name) => naming.includes(name));
  const sources = of(SOURCE_COLUMNS).map((name) => `source_id = b.${ident(name)}`);
  const windows = of(PROJECT_COLUMNS).flatMap((project) =>
    of(WINDOW_COLUMNS).map(
      (name) =>
        `(project_id = b.${ident(project)} AND b.${ident(name)} >= window_from AND b.${ident(name)} < window_to)`,
    ),
  );
  const isSource = `(kind IN ('crawl', 'crawl_over_crawl') AND (${sources.join(' OR ') || 'false'}))`;
  return `coalesce(${[isSource, ...windows].join(' OR ')}, false)`;
}

/** SQL that is true for a unit whose project a row names. */
function nearMatch(naming: readonly string[]): string {
  if (naming.includes('_unit')) return 'false';
  const projects = PROJECT_COLUMNS.filter((name) => naming.includes(name));
  return `coalesce(${projects.map((name) => `project_id = b.${ident(name)}`).join(' OR ') || 'false'}, false)`;
}

/** SQL of what a person recognises a row by: the columns that the test is about, else its URL, else the first few. */
function exampleOf({ columns: tested }: DataTest, columns: readonly string[]): string {
  const plain = columns.filter((name) => !NAMING.includes(name));
  const own = plain.filter((name) => tested.includes(name));
  const url = plain.filter((name) => name === 'url' && !own.includes('url'));
  const shown = [...own, ...url].length > 0 ? [...own, ...url] : plain.slice(0, 2);
  if (shown.length === 0) return `''`;
  const parts = shown.map(
    (name) => `${text(`${name} = `)} || coalesce(substr(CAST(${ident(name)} AS VARCHAR), 1, 200), 'NULL')`,
  );
  return `concat_ws(', ', ${parts.join(', ')})`;
}
