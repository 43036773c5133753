import { ident } from '../../../../core/duckdb/duckdb.ts';
import { BESIDES } from './beside-pages.ts';
import type { PageColumnTypes } from './page-conditions.ts';

/** The pages of a crawl, with its issue, change and segment. */
export interface Within {
  /** The parameter of the crawl that the pages belong to. */
  readonly own: string;
  readonly columns: readonly string[];
  readonly joins: readonly string[];
  readonly conditions: readonly string[];
  /** The condition of the segment, if there is one. */
  readonly inSegment: readonly string[];
  readonly shown: readonly string[];
}

const BESIDE_COLUMNS = BESIDES.flatMap(({ columns }) => Object.keys(columns));

interface Reading {
  /** A SELECT or table with the columns of mart.pages. */
  readonly source: string;
  readonly within: Within;
  readonly issue: string | undefined;
  /** The conditions of the segment and the filter. */
  readonly all: readonly string[];
  /** The columns of the conditions. */
  readonly names: readonly string[];
  readonly shown: readonly string[];
  readonly sorted: { readonly column: string; readonly sql: string };
  readonly types: PageColumnTypes;
  readonly hasLinks: boolean;
}

/** The statements of a filter. */
export interface PageReading {
  /** As a user may run it; the values are parameters. */
  readonly sql: string;
  /**
   * The SELECT of some of the rows. First finds their URLs with the columns of the filter and the sort, because reading
   * and joining the other columns of a million pages takes longer.
   */
  readonly part: (limit: number, offset: number) => string;
  /** Counts the pages. */
  readonly count: string;
  /** The row of the page `$after` by which the pages are sorted, as text. */
  readonly place: string;
  /** The pages after that page, whose value is `$after_value` or null. */
  readonly behind: (isNull: boolean) => string;
  /** All links to the pages, so that users can fix the linking pages; null if the links of the crawl are not loaded. */
  readonly inlinks: string | null;
}

export function readingOf(reading: Reading): PageReading {
  const { within, all, names, shown, sorted, types, hasLinks } = reading;
  const through = (asked: readonly string[], ...more: readonly string[]): string =>
    fromPages({ ...reading, kept: [], all: [...all, ...more] }, asked);
  const order = `ORDER BY ${sorted.sql}, url`;
  const columns = shown.map(ident).join(', ');
  const rows = (...more: readonly string[]): string =>
    `SELECT ${columns}\n${through([...names, ...shown], ...more)}\n${order}`;
  const sorting = [...names, sorted.column];
  return {
    sql: rows(),
    part: (limit: number, offset: number): string => {
      const span = `${offset === 0 ? '' : `OFFSET ${offset} `}LIMIT ${limit}`;
      // What is read beside the pages to find them is not read again.
      const kept = BESIDE_COLUMNS.filter((column) => sorting.includes(column));
      const urls = `SELECT ${['url', ...kept].join(', ')}\n${through(sorting)}\n${order}\n${span}`;
      const source = `(
    SELECT ${['pages.*', ...kept.map((column) => `listed.${column}`)].join(', ')} FROM ${reading.source} AS pages
    JOIN (SELECT DISTINCT * FROM (\n${urls}\n) AS urls) AS listed ON listed.url = pages.url
  )`;
      return `SELECT ${columns}\n${fromPages({ ...reading, source, kept, all: [] }, shown)}\n${order}`;
    },
    // Joined tables have at most one row per page, so only a condition on them changes the count.
    count: `SELECT count(*) AS total\n${through(names)}`,
    place: `SELECT CAST(${ident(sorted.column)} AS VARCHAR) AS value\n${through(sorting, 'url = $after')}`,
    behind: (isNull: boolean): string => rows(behindPlace(sorted, types, isNull)),
    inlinks: hasLinks ? inlinksOf(within.own, through(names)) : null,
  };
}

/** Returns the condition of the pages after `$after` in an order with NULLs last. */
function behindPlace(
  { column, sql }: { readonly column: string; readonly sql: string },
  types: PageColumnTypes,
  isNull: boolean,
): string {
  const name = ident(column);
  if (isNull) return `(${name} IS NULL AND url > $after)`;
  const value = `CAST($after_value AS ${types.get(column)})`;
  const than = sql.includes(' DESC ') ? '<' : '>';
  return `(${name} ${than} ${value} OR (${name} = ${value} AND url > $after) OR ${name} IS NULL)`;
}

/** Returns rows of `--inlinks`: one per link, grouped by target. */
function inlinksOf(crawl: string, pages: string): string {
  return `SELECT links.origin AS source, links.target, links.anchor, links.link_position AS position, links.follow,
  coalesce(linked.status_code, links.target_status) AS status_code
FROM mart.links AS links
JOIN (SELECT url, status_code
${pages}
) AS linked ON linked.url = links.target
WHERE links.crawl_id = ${crawl}
ORDER BY links.target, links.origin, links.anchor NULLS LAST, links.link_position NULLS LAST`;
}

/**
 * Returns the pages that meet all conditions, with the joins that the requested columns need. The source contains the
 * kept columns.
 */
function fromPages(
  { source, within, issue, all, kept }: Reading & { readonly kept: readonly string[] },
  asked: readonly string[],
): string {
  const names = new Set(asked.map((name) => name.toLowerCase()));
  const wants = (column: string): boolean => names.has(column) && !kept.includes(column);
  const besides = BESIDES.filter(({ columns }) => Object.keys(columns).some(wants));
  const selected = [
    'pages.*',
    ...within.columns,
    ...besides.flatMap(({ name, columns, value = (column) => `${name}.${column}` }) =>
      Object.keys(columns)
        .filter(wants)
        .map((column) => `${value(column)} AS ${column}`),
    ),
  ];
  return `FROM (
  SELECT ${selected.join(', ')}
  FROM ${source} AS pages
  ${[...within.joins, ...besides.map(({ join }) => join(within.own, issue))].join('\n  ')}
  WHERE ${within.conditions.join('\n    AND ')}
) AS pages${all.length === 0 ? '' : `\nWHERE ${all.join('\n  AND ')}`}`;
}
