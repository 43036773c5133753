import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Access } from '../../src/app/console/access/access.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { readPublished } from '../../src/etl/state/catalog/published/read-published.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { environmentOf, projectFolder, runProject } from '../support/project.ts';

const LONG = `Shop "north" & <b>south</b> ${'a-very-long-name-'.repeat(12)}`;

export interface VisitedProject extends AsyncDisposable {
  readonly settings: Settings;
  readonly sandbox: Sandbox;
  readonly project_id: string;
  readonly crawl_id: string;
  readonly run_id: string;
  /** Of a page of the crawl. */
  readonly url: string;
  readonly unit: string;
}

const UPLOADED = `${'0'.repeat(32)}/access.log`;

/** An address of each page. */
export const ADDRESSES: Readonly<
  Record<string, (one: Pick<VisitedProject, 'project_id' | 'crawl_id' | 'run_id' | 'url' | 'unit'>) => string>
> = {
  '/': () => '/',
  '/operations': () => '/operations',
  '/projects': () => '/projects',
  '/projects/:project_id': ({ project_id }) => `/projects/${project_id}?wait=1`,
  '/projects/:project_id/issues': ({ project_id }) => `/projects/${project_id}/issues?wait=1`,
  '/projects/:project_id/pages': ({ project_id }) => `/projects/${project_id}/pages?issue=thin&depth=gte:1`,
  '/projects/:project_id/tickets': ({ project_id }) => `/projects/${project_id}/tickets`,
  '/projects/:project_id/url': ({ project_id, url }) =>
    `/projects/${project_id}/url?${String(new URLSearchParams({ url, wait: '1' }))}`,
  '/projects/:project_id/structure': ({ project_id }) => `/projects/${project_id}/structure?wait=1`,
  '/projects/:project_id/compare': ({ project_id }) => `/projects/${project_id}/compare`,
  '/search': () => '/search?q=thin',
  '/projects/:project_id/migration': ({ project_id }) => `/projects/${project_id}/migration?wait=1`,
  '/projects/:project_id/demand': ({ project_id }) => `/projects/${project_id}/demand?wait=1`,
  '/projects/:project_id/settings': ({ project_id }) => `/projects/${project_id}/settings`,
  '/projects/:project_id/segments': ({ project_id }) =>
    `/projects/${project_id}/segments?check=1&stamp=e3b0c44298fc1c14&name=template&segment=all&kind=url&condition=%2F&rest=`,
  '/crawls/:crawl_id': ({ crawl_id }) => `/crawls/${crawl_id}?wait=1`,
  '/runs': () => '/runs',
  '/runs/:run_id': ({ run_id }) => `/runs/${run_id}`,
  '/ask': () => '/ask?run=1&sql=FROM+mart.crawls',
  '/units/*': ({ unit }) => `/units/${unit}`,
  '/schedules': () => '/schedules',
  '/schedules/:schedule': () => '/schedules/morning',
  '/do': () => '/do',
  '/do/plan': ({ crawl_id }) => `/do/plan?action=drop&kind=crawl&name=${crawl_id}`,
  '/do/actions/:action_id': () => '/do/actions/1',
  '/uploads': () => '/uploads',
  '/uploads/read': () => `/uploads/read?action=logs-add&file=${UPLOADED}`,
  '/audit': () => '/audit',
  '/links': () => '/links',
  '/start': () => '/start',
  '/crawling': () => '/crawling',
  '/connect': () => '/connect',
};

/** A project with two websites, one of which has a long name, three crawls each, and a unit that fails. */
export async function visitedProject(parent: string): Promise<VisitedProject> {
  const sandbox = await startSandbox({
    generate: ['projects=2,crawls=3,pages=400,links=2000,columns=90,clusters=10,structured_data=40,seed=3'],
  });
  const folder = await projectFolder(parent);
  const options = { pipelines: ['crawl_pages', 'crawl_links', 'projects', 'crawls', 'crawl_configs'] };
  const first = await runProject(folder, sandbox, options);
  const unit = first.report.units.find(({ dataset }) => dataset === 'crawl_pages');
  if (unit?.source.project_id == null) throw new Error('no crawl was loaded');
  await send(sandbox, 'PATCH', `projects/${unit.source.project_id}`, { name: LONG });
  await send(sandbox, 'POST', 'faults', [{ match: { path: 'clusters' }, kind: 'status', status: 503 }]);
  const second = await runProject(folder, sandbox, {
    pipelines: [...options.pipelines, 'crawl_clusters', 'crawl_structured_data'],
  });
  const settings = await loadSettings(folder, environmentOf(sandbox));
  writeAudit(settings, second.report.run_id);
  const uploaded = join(settings.state_dir, 'console', 'uploads', UPLOADED);
  await mkdir(dirname(uploaded), { recursive: true });
  await writeFile(uploaded, 'no log\n');
  return {
    settings,
    sandbox,
    project_id: unit.source.project_id,
    crawl_id: unit.source.id,
    run_id: second.report.run_id,
    url: await urlOf(settings, unit.source.id),
    unit: unit.unit,
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

async function urlOf(settings: Settings, crawl: string): Promise<string> {
  const rows = await readPublished(settings, (connection) =>
    connection.rows('SELECT url FROM mart.pages WHERE crawl_id = $1 ORDER BY nb_inlinks DESC, url LIMIT 1', [
      crawl,
    ]),
  );
  return String(rows?.[0]?.url);
}

async function send({ baseUrl }: Sandbox, method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${baseUrl}/_sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** Two actions, one of which has failed. */
function writeAudit(settings: Settings, run_id: string): void {
  using access = new Access(settings);
  const done = access.audit.begin('ada@example.com', 'crawlhouse run -- crawl_pages');
  access.audit.end(done, { outcome: '0', message: null, run_id });
  access.uploads.added({ file: UPLOADED, kind: 'logs', site: LONG, action: done });
  const failed = access.audit.begin('local', `crawlhouse drop '--project=${LONG}'`);
  access.audit.end(failed, { outcome: '2', message: `there is no project ${LONG}`, run_id: null });
}
