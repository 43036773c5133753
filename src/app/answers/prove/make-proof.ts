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
import { ProvenRows } from './proven-rows.ts';
import { tablesBehind } from './tables-behind.ts';

const DAYS = `
  SELECT project_id, crawl_id, kind, dataset, CAST(min(from_date) AS VARCHAR) AS from_date,
    CAST(max(to_date) AS VARCHAR) AS to_date, count(*) AS days
  FROM mart.crawl_days
  WHERE ($project IS NULL OR project_id = $project) AND ($crawl IS NULL OR crawl_id = $crawl)
  GROUP BY project_id, crawl_id, kind, dataset ORDER BY project_id, crawl_id, kind, dataset`;

export interface ProvenFigure {
  readonly figure: string;
  readonly sql: string;
  /** Resolved: a crawl is an identifier. */
  readonly parameters: ParameterTexts;
  /** Datasets whose loads are listed, too. */
  readonly datasets?: readonly string[];
}

/**
 * Answers a figure again, and records what the answer rests on.
 *
 * @throws CrawlhouseError `bad_query`, `query_limit`, `bad_model`; `usage` for SQL that is not a SELECT, and for a
 *   secret in the SQL or in the answer
 */
export async function makeProof(
  warehouse: Warehouse,
  settings: SqlSettings & DuckdbSettings,
  { figure, sql, parameters, datasets = [] }: ProvenFigure,
  signal: AbortSignal,
): Promise<Proof> {
  const asked = { figure, sql, parameters: Object.fromEntries(parameters) };
  refuseSecret(asked, 'the SQL or a parameter');
  const tables = await tablesBehind(settings, sql);
  const answer = await readAnswer(warehouse, sql, parameters, signal);
  const definitions = await readDefinitions(warehouse, signal);
  // The user's own SQL may use $project and $crawl for anything.
  const scope: ParameterTexts = figure === 'sql' ? new Map() : parameters;
  const project = await projectOf(warehouse, scope, signal);
  const crawl = scope.get('crawl') ?? null;
  const read = tables.flatMap((name) => (name.startsWith('raw.') ? [name.slice('raw.'.length)] : []));
  const listed = [...new Set([...read, ...datasets])];
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
    loads: await readProvenLoads(warehouse, { datasets: listed, project }, signal),
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
  const rows = new ProvenRows();
  const take = async (some: TypedRows): Promise<void> => {
    columns = some.columns;
    for (const row of some.rows) rows.add(row, columns);
  };
  const total = await warehouse.each({ sql, parameters }, take, signal);
  refuseSecret(rows.kept, 'the answer');
  return {
    columns: [...columns],
    total,
    rows: rows.kept.map((row) => [...row]),
    sha256: rows.sha256(columns),
  };
}

/** Refuses a secret instead of masking it: the hash of a short text shows the text. */
function refuseSecret(document: unknown, name: string): void {
  if (stringifyJson(redactTexts(document)) === stringifyJson(document)) return;
  throw new CrawlhouseError('usage', `${name} contains a secret of the settings`, {
    hint: 'a proof is for other people: write SQL that does not contain or return the secret',
  });
}
