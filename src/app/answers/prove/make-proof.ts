import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DuckdbSettings } from '../../../core/duckdb/duckdb.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import type { ParameterTexts } from '../query/parameters.ts';
import type { TypedRows, Warehouse } from '../query/warehouse.ts';
import { type Proof, ProvenDays, ProvenLoad, rowsAs } from './proof.ts';
import { tablesBehind } from './raw-tables.ts';

/** Maximum rows in a proof. The hash covers all. */
const MOST_ROWS = 1000;

export interface ProvenFigure {
  readonly figure: string;
  readonly sql: string;
  /** Resolved: a crawl is an identifier. */
  readonly parameters: ParameterTexts;
}

/**
 * Answers a figure again, and records what the answer rests on.
 *
 * @throws CrawlhouseError `bad_query`, `query_limit`, `bad_model`
 */
export async function makeProof(
  warehouse: Warehouse,
  settings: SqlSettings & DuckdbSettings,
  { figure, sql, parameters }: ProvenFigure,
  signal: AbortSignal,
): Promise<Proof> {
  const answer = await readAnswer(warehouse, sql, parameters, signal);
  const tables = await tablesBehind(settings, sql);
  const project = await projectOf(warehouse, parameters, signal);
  const ofProject = 'WHERE ($project IS NULL OR project_id = $project OR project_id IS NULL)';
  const given = new Map([['project', project]]);
  const loads = await warehouse.rows(
    `SELECT unit, dataset, project_id, CAST(loaded_at AS VARCHAR) AS loaded_at, reported, received, staged, rejected,
       loaded, queryable, content_sha256, fingerprint
     FROM ops.loads ${ofProject} ORDER BY unit`,
    signal,
    given,
  );
  const byDays = tables.includes('mart.crawl_days');
  const days = byDays
    ? await warehouse.rows(
        `SELECT project_id, crawl_id, kind, CAST(min(from_date) AS VARCHAR) AS from_date,
           CAST(max(to_date) AS VARCHAR) AS to_date, count(*) AS days
         FROM mart.crawl_days ${ofProject} GROUP BY project_id, crawl_id, kind ORDER BY project_id, crawl_id, kind`,
        signal,
        given,
      )
    : [];
  const [publication] = await warehouse.rows(
    'SELECT id, CAST(published_at AS VARCHAR) AS published_at FROM ops.publication',
    signal,
  );
  const raw = new Set(tables.flatMap((name) => (name.startsWith('raw.') ? [name.slice(4)] : [])));
  return {
    version: 1,
    figure,
    proved_at: new Date().toISOString(),
    crawlhouse: await packageVersion(),
    definitions: await definitionsHash(settings),
    publication: {
      id: (publication?.id as string | undefined) ?? null,
      published_at: (publication?.published_at as string | undefined) ?? null,
    },
    sql,
    parameters: Object.fromEntries(parameters),
    tables,
    loads: rowsAs(ProvenLoad, loads).filter(({ dataset }) => raw.has(dataset)),
    days: rowsAs(ProvenDays, days),
    answer,
  };
}

const ProjectId = z.strictObject({ project_id: z.string() });

/** Returns the project of the parameters; null if they name none, so that the answer may rest on every load. */
async function projectOf(
  warehouse: Warehouse,
  parameters: ParameterTexts,
  signal: AbortSignal,
): Promise<string | null> {
  const [project, crawl] = [parameters.get('project') ?? null, parameters.get('crawl') ?? null];
  if (project === null && crawl === null) return null;
  const rows = await warehouse.rows(
    `SELECT DISTINCT project_id FROM mart.crawls
     WHERE ($crawl IS NULL OR crawl_id = $crawl) AND ($project IS NULL OR project_id = $project OR project_name = $project)`,
    signal,
    new Map([
      ['crawl', crawl],
      ['project', project],
    ]),
  );
  const [only, ...others] = rowsAs(ProjectId, rows);
  return others.length === 0 ? (only?.project_id ?? null) : null;
}

async function readAnswer(
  warehouse: Warehouse,
  sql: string,
  parameters: ParameterTexts,
  signal: AbortSignal,
): Promise<Proof['answer']> {
  let columns: TypedRows['columns'] = [];
  const rows: unknown[][] = [];
  const lines: string[] = [];
  const take = async (some: TypedRows): Promise<void> => {
    columns = some.columns;
    for (const row of some.rows) {
      if (rows.length < MOST_ROWS) rows.push([...row]);
      lines.push(stringifyJson(row.map((value, place) => comparable(value, columns[place]?.type ?? ''))));
    }
  };
  const total = await warehouse.each({ sql, parameters }, take, signal);
  const hash = createHash('sha256').update(stringifyJson(columns));
  for (const line of lines.sort()) hash.update(`\n${line}`);
  return { columns: [...columns], total, rows, sha256: hash.digest('hex') };
}

/** Rounds a floating-point number to 12 digits: sums of several threads differ in the last ones. */
function comparable(value: unknown, type: string): unknown {
  if (value === null || !/^(?:DOUBLE|FLOAT|REAL)$/i.test(type)) return value;
  const number = Number(stringifyJson(value));
  return Number.isFinite(number) ? Number(number.toPrecision(12)) : value;
}

async function definitionsHash(settings: SqlSettings): Promise<string> {
  const { issues, changes, crawl_days } = settings;
  const hash = createHash('sha256').update(stringifyJson([issues ?? {}, changes ?? {}, crawl_days ?? null]));
  for (const { path } of sqlFolders(settings)) {
    const files = await readdir(path, { recursive: true, withFileTypes: true });
    const names = files.flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []));
    for (const name of names.sort()) hash.update(`\n${name.slice(path.length)}\0`).update(await readFile(name));
  }
  return hash.digest('hex');
}
