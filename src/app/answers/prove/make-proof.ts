import { createHash, hash } from 'node:crypto';
import type { DuckdbSettings } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import { redactTexts } from '../../../core/secrets/redact.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { SqlSettings } from '../../../etl/project/sql/models/sql-folders.ts';
import { knownCrawls } from '../../../etl/state/catalog/known-crawls.ts';
import {
  readDefinitions,
  readProvenLoads,
  readPublication,
} from '../../../etl/state/catalog/read-provenance.ts';
import type { ParameterTexts } from '../query/parameters.ts';
import type { TypedRows, Warehouse } from '../query/warehouse.ts';
import { type Proof, ProvenDays } from './proof.ts';
import { rowText } from './row-text.ts';
import { tablesBehind } from './tables-behind.ts';

/** Maximum rows in a proof. The hash covers all. */
export const MOST_ROWS = 1000;

const DAYS = `
  SELECT project_id, crawl_id, kind, CAST(min(from_date) AS VARCHAR) AS from_date,
    CAST(max(to_date) AS VARCHAR) AS to_date, count(*) AS days
  FROM mart.crawl_days
  WHERE ($project IS NULL OR project_id = $project) AND ($crawl IS NULL OR crawl_id = $crawl)
  GROUP BY project_id, crawl_id, kind ORDER BY project_id, crawl_id, kind`;

export interface ProvenFigure {
  readonly figure: string;
  readonly sql: string;
  /** Resolved: a crawl is an identifier. */
  readonly parameters: ParameterTexts;
}

/**
 * Answers a figure again, and records what the answer rests on.
 *
 * @throws CrawlhouseError `bad_query`, `query_limit`, `bad_model`; `usage` if the SQL contains a secret
 */
export async function makeProof(
  warehouse: Warehouse,
  settings: SqlSettings & DuckdbSettings,
  { figure, sql, parameters }: ProvenFigure,
  signal: AbortSignal,
): Promise<Proof> {
  const asked = { figure, sql, parameters: Object.fromEntries(parameters) };
  if (stringifyJson(redactTexts(asked)) !== stringifyJson(asked))
    throw new CrawlhouseError('usage', 'the SQL or a parameter contains a secret of the settings', {
      hint: 'a proof is for other people: write the SQL without the secret',
    });
  const answer = await readAnswer(warehouse, sql, parameters, signal);
  const tables = await tablesBehind(settings, sql);
  const definitions = await readDefinitions(warehouse, signal);
  const project = await projectOf(warehouse, parameters, signal);
  const crawl = parameters.get('crawl') ?? null;
  const datasets = tables.flatMap((name) => (name.startsWith('raw.') ? [name.slice('raw.'.length)] : []));
  const days = tables.includes('mart.crawl_days')
    ? await warehouse.rows(DAYS, signal, new Map(Object.entries({ project, crawl })))
    : [];
  return {
    version: 1,
    figure,
    proved_at: new Date().toISOString(),
    crawlhouse: await packageVersion(),
    publication: await readPublication(warehouse, signal),
    sql,
    parameters: asked.parameters,
    tables: tables.map((name) => ({ name, definition: definitions.get(name) ?? null })),
    loads: await readProvenLoads(warehouse, { datasets, project }, signal),
    days: typedRows(ProvenDays, days),
    answer,
  };
}

/** Returns the project of the parameters; null if they name none: the answer may rest on every load. */
async function projectOf(
  warehouse: Warehouse,
  parameters: ParameterTexts,
  signal: AbortSignal,
): Promise<string | null> {
  const [project = null, crawl = null] = [parameters.get('project'), parameters.get('crawl')];
  if (project === null && crawl === null) return null;
  const known = (await knownCrawls(warehouse, { project, crawl }, signal)) ?? [];
  const ids = new Set(known.filter(({ id }) => crawl === null || id === crawl).map((one) => one.project_id));
  const [only = null] = ids;
  return ids.size === 1 ? only : null;
}

async function readAnswer(
  warehouse: Warehouse,
  sql: string,
  parameters: ParameterTexts,
  signal: AbortSignal,
): Promise<Proof['answer']> {
  let columns: TypedRows['columns'] = [];
  const rows: unknown[][] = [];
  // A sum does not depend on the order of the rows, and needs no memory for them.
  let sum = 0n;
  const take = async (some: TypedRows): Promise<void> => {
    columns = some.columns;
    for (const row of some.rows) {
      if (rows.length < MOST_ROWS) rows.push([...row]);
      sum += BigInt(`0x${hash('sha256', rowText(row, columns))}`);
    }
  };
  const total = await warehouse.each({ sql, parameters }, take, signal);
  const sha256 = createHash('sha256')
    .update(stringifyJson([columns, total, sum.toString(16)]))
    .digest('hex');
  return { columns: [...columns], total, rows: redactTexts(rows) as unknown[][], sha256 };
}
