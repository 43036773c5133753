import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../sandbox/support.ts';

/** A row as the service sends it. */
export type Row = Readonly<Record<string, unknown>>;

export interface CrawlData {
  readonly id: string;
  readonly projectId: string;
  readonly project: string;
  /** URL that the crawls of its project begin with. */
  readonly startUrl: string;
  /** Name of its crawl configuration. */
  readonly configName: string | null;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly isLatest: boolean;
  readonly previous: CrawlData | null;
  readonly pages: readonly Row[];
  readonly links: readonly Row[];
  readonly clusters: readonly Row[];
  readonly structuredData: readonly Row[];
}

export interface ProjectData {
  readonly id: string;
  readonly name: string;
  readonly logPagesDays: readonly Row[];
  readonly logEvents: readonly Row[];
  readonly ranking: readonly Row[];
}

/** All that a service holds, by its own exports or by the files it was filled with, without any code of the pipeline. */
export interface ServiceData {
  readonly projects: readonly ProjectData[];
  /** By project, the oldest first. */
  readonly crawls: readonly CrawlData[];
}

type ReadRows = (crawl: Row, dataType: string) => Promise<readonly Row[]>;

const COLLECTED = ['pages', 'links', 'clusters', 'structured_data'] as const;
const RANKING_VALUES = [
  { field: 'clicks', method: 'sum', alias: 'clicks' },
  { field: 'impressions', method: 'sum', alias: 'impressions' },
  { field: 'position', method: 'weighted_average', alias: 'position' },
];

export async function readService(service: Service, readRows: ReadRows): Promise<ServiceData> {
  const workspace = await service.workspace();
  const listed = (await service.api(`/workspaces/${workspace}/projects?limit=1000`)).json.projects as Row[];
  const starts = new Map(listed.map((project) => [String(project.id), String(project.start_url)]));
  const names = new Map(listed.map((project) => [String(project.id), String(project.name)]));
  const latest = new Map<string, CrawlData>();
  const crawls: CrawlData[] = [];
  const records = (await service.crawls()).toSorted((a, b) => Number(a.ended_at) - Number(b.ended_at));
  const lastOf = new Map(records.map((crawl) => [String(crawl.project_id), String(crawl.id)]));
  for (const record of records) {
    const projectId = String(record.project_id);
    const rows = await Promise.all(COLLECTED.map((dataType) => readRows(record, dataType)));
    const [pages = [], links = [], clusters = [], structuredData = []] = rows;
    const crawl: CrawlData = {
      id: String(record.id),
      projectId,
      project: names.get(projectId) ?? '',
      startUrl: starts.get(projectId) ?? '',
      configName: (record.crawl_config as { name?: string } | null)?.name ?? null,
      endedAt: Number(record.ended_at),
      isLatest: lastOf.get(projectId) === record.id,
      previous: latest.get(projectId) ?? null,
      ...{ pages, links, clusters, structuredData },
    };
    latest.set(projectId, crawl);
    crawls.push(crawl);
  }
  const projects: ProjectData[] = [];
  for (const [id, name] of names) {
    projects.push({
      id,
      name,
      logPagesDays: await logRows(service, id, 'pages/days'),
      logEvents: await logRows(service, id, 'events'),
      ranking: await ranking(service, id),
    });
  }
  return { projects, crawls };
}

/** Rows by the service's own streamed export, as JSONL. */
export function exportedRows(service: Service): ReadRows {
  return async (crawl, dataType) => {
    const { fields } = (await service.api(`/data/crawl/${crawl.id}/${dataType}/fields`)).json;
    const shown = (fields as Row[]).filter((field) => field.can_display).map((field) => field.name);
    const answer = await service.export(String(crawl.id), dataType, 'json', { body: { fields: shown } });
    return lines(answer.text);
  };
}

/** Rows of the files that a crawl was imported from; `folderOf` names the folder of a crawl. */
export function importedRows(folderOf: (crawl: Row) => string): ReadRows {
  return async (crawl, dataType) => {
    try {
      return lines(await readFile(join(folderOf(crawl), `${dataType}.jsonl`), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
}

/** Rows with all fields that the service shows, by its streamed export. */
async function logRows(service: Service, projectId: string, path: string): Promise<Row[]> {
  const answer = await service.api(
    `/data/project/${projectId}/log_monitoring/${path}?export=true&file_type=json`,
    { body: {} },
  );
  return answer.status === 200 ? lines(answer.text) : [];
}

async function ranking(service: Service, projectId: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let offset = 0; ; offset += 1000) {
    const query = {
      fields: ['date', 'url', 'query', 'device'],
      value: RANKING_VALUES,
      oql: { field: ['date', 'gte', '2000-01-01'] },
      sort: ['date', 'url', 'query', 'device'].map((field) => ({ field, order: 'asc' })),
      ...{ limit: 1000, offset },
    };
    const answer = await service.api(`/data/project/${projectId}/ranking_performance/aggs`, {
      body: { aggs: [query] },
    });
    if (answer.status !== 200) return [];
    const [result] = answer.json.aggs as { cols: string[]; rows: unknown[][] }[];
    const found = result?.rows ?? [];
    rows.push(
      ...found.map((row) => Object.fromEntries((result?.cols ?? []).map((name, n) => [name, row[n]]))),
    );
    if (found.length < 1000) return rows;
  }
}

function lines(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
