import { isUnderWay } from '../../crawls/launched-crawl.ts';
import type { Document, ResourceKind } from '../../resources/resources.ts';
import { ofProject } from '../../resources/seed.ts';
import type { ValuesOf } from '../pages/api-page.ts';
import type { SandboxContext } from './sandbox-context.ts';

/**
 * Values with which the requests of the page at `address` run: ids of existing resources, the newest that allows the
 * operation.
 */
export function exampleValues({ resources, storeABucket }: SandboxContext, address: string): ValuesOf {
  const crawls = resources
    .list('crawls')
    .sort((a, b) => Number(b.created_at ?? 0) - Number(a.created_at ?? 0));
  const projects = resources.list('projects');
  const reported = crawls.filter((crawl) => crawl.status === 'done' && crawl.link_status === 'live');
  const idle = projects.find((project) => !ofProject(crawls, project.id).some(isUnderWay));
  const named = (id: unknown): Document | undefined => projects.find((project) => project.id === id);

  const projectFor = (path: string): Document | undefined => {
    if (path.includes('/log_monitoring/'))
      return projects.find((project) => project.log_monitoring_data_ready);
    if (path.includes('/ranking_performance/'))
      return projects.find((project) => resources.dataset(project.id, 'ranking_performance') !== undefined);
    if (path === '/projects/{project_id}') return idle ?? projects[0];
    return named(reported[0]?.project_id) ?? projects[0];
  };

  return ({ path }) => {
    const workspace = resources.list('workspaces').at(-1);
    const project = projectFor(path);
    const newest = (kind: ResourceKind): Document | undefined =>
      project && ofProject(resources.list(kind), project.id)[0];
    const [crawl2, crawl1] = project === undefined ? [] : ofProject(reported, project.id);
    const steered = path.endsWith('/pilot') ? steeredCrawl(crawls) : undefined;
    const config = project && resources.list('crawl_configs', project.id)[0];
    const crawlConfig = reported[0]?.crawl_config as Document | null | undefined;
    const known = {
      workspace_id: workspace?.id,
      project_id: project?.id,
      crawl_id: steered?.id ?? reported[0]?.id,
      command: steered?.status === 'archived' ? 'unarchive' : undefined,
      resource_id: reported[0]?.id,
      coc_id: resources.list('crawl_over_crawls').find(({ status }) => status === 'done')?.id,
      crawl_over_crawl_id: resources.list('crawl_over_crawls')[0]?.id,
      crawl1: crawl1?.id,
      crawl2: crawl2?.id,
      crawl_config_id: config?.id,
      configId: crawlConfig?.id ?? config?.id,
      config_id: crawlConfig?.id ?? config?.id,
      scheduled_crawl_id: newest('scheduled_crawls')?.id,
      ingest_file_id: newest('ingest_files')?.id,
      secret_id: workspace && resources.list('secrets', workspace.id)[0]?.id,
      data_export_id: workspace && resources.list('data_exports', workspace.id)[0]?.id,
      store_a_bucket: storeABucket,
      // A webhook that is tried goes nowhere else.
      url: `${address}/hook`,
    };
    return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  };
}

/** A running crawl can be paused, and an archived one restored. */
function steeredCrawl(crawls: readonly Document[]): Document | undefined {
  return (
    crawls.find((crawl) => crawl.status === 'running') ?? crawls.find((crawl) => crawl.status === 'archived')
  );
}
