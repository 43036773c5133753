import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../service/support.ts';
import { type Crawl, type Dataset, dataset, type Project, type Row, type Sites } from './sites/sites.ts';

type ReadDataset = (crawl: Row, dataType: string) => Promise<Dataset>;

const RANKING_VALUES = [
  { field: 'clicks', method: 'sum', alias: 'clicks' },
  { field: 'impressions', method: 'sum', alias: 'impressions' },
  { field: 'position', method: 'weighted_average', alias: 'position' },
];

/** All that a service holds, by its own exports or by the files it was filled with, without any code of the pipeline. */
export async function readService(service: Service, read: ReadDataset): Promise<Sites> {
  const workspace = await service.workspace();
  const listed = (await service.api(`/workspaces/${workspace}/projects?limit=1000`)).json.projects as Row[];
  const crawls = (await service.crawls()).map(async (record): Promise<Crawl> => {
    const [pages, links, clusters, structuredData] = await Promise.all([
      read(record, 'pages'),
      read(record, 'links'),
      read(record, 'clusters'),
      read(record, 'structured_data'),
    ]);
    return {
      id: String(record.id),
      projectId: String(record.project_id),
      status: String(record.status),
      endReason: (record.end_reason as string | undefined) ?? null,
      config: (record.crawl_config as Crawl['config'] | undefined) ?? null,
      createdAt: typeof record.created_at === 'number' ? record.created_at : null,
      endedAt: Number(record.ended_at),
      pages,
      links,
      clusters,
      structuredData,
    };
  });
  const projects = listed.map(async ({ id, name, start_url }): Promise<Project> => {
    const project = { id: String(id), name: String(name), startUrl: String(start_url) };
    return {
      ...project,
      logPagesDays: dataset(await logRows(service, project.id, 'pages/days')),
      logEvents: dataset(await logRows(service, project.id, 'events')),
      ranking: dataset(await ranking(service, project.id)),
    };
  });
  return { projects: await Promise.all(projects), crawls: await Promise.all(crawls) };
}

/** Rows by the service's own streamed export, as JSONL. */
export function exported(service: Service): ReadDataset {
  return async (crawl, dataType) => {
    const { fields } = (await service.api(`/data/crawl/${crawl.id}/${dataType}/fields`)).json;
    const shown = (fields as Row[]).filter((field) => field.can_display).map((field) => String(field.name));
    const answer = await service.export(String(crawl.id), dataType, 'json', { body: { fields: shown } });
    return { fields: shown, rows: lines(answer.text) };
  };
}

/** Rows of the files that a crawl was imported from; `folderOf` names the folder of a crawl. */
export function imported(folderOf: (crawl: Row) => string): ReadDataset {
  return async (crawl, dataType) => {
    const read = (name: string): Promise<string> =>
      readFile(join(folderOf(crawl), `${dataType}.${name}`), 'utf8');
    try {
      const { fields } = JSON.parse(await read('fields.json')) as { fields: { name: string }[] };
      return { fields: fields.map(({ name }) => name), rows: lines(await read('jsonl')) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { fields: [], rows: [] };
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
      limit: 1000,
      offset,
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
