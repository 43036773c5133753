import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { CrawlDataType } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readJsonFile } from '../../../core/files/read-json-file.ts';
import { readLines } from '../../../core/files/read-lines.ts';
import type { DatasetName } from '../../fields/field-records-of.ts';
import { deriveLogPages } from '../../logs/derive-log-pages.ts';
import {
  derivedGranularities,
  givenBy,
  projectDataSource,
  weekDefinitionOf,
} from '../../logs/log-metadata.ts';
import type { Clock } from '../../resources/clock.ts';
import { type Resources, resourceId, type StoredDataset } from '../../resources/resources.ts';
import { ensureProject, putCrawl } from '../../resources/seed.ts';
import type { ServiceState } from '../../rows/service-state.ts';
import { describeData } from './describe-data.ts';
import { type FolderPlan, planFolder } from './folder-plan.ts';
import { importDataset } from './import-dataset.ts';

/** `crawl.json`: any field of a crawl, and its project's name and start URL. */
const CrawlFile = z.looseObject({
  id: z.string().min(1).optional(),
  created_at: z.int().nullish(),
  ended_at: z.int().nullish(),
  project: z.looseObject({ name: z.string().min(1).optional(), start_url: z.string().optional() }).optional(),
});

type CrawlFile = z.infer<typeof CrawlFile>;

const HOUR = 3_600_000;

/**
 * Imports a folder: a crawl of its project, or data of the project itself, which has no `crawl_id`. Importing the
 * folder again replaces its rows.
 */
export async function importFolder(context: ServiceState, dir: string) {
  const { resources } = context;
  const plan = planFolder(dir);
  const crawlFile = await readCrawlFile(plan.crawlFile);
  const { id: givenId, project: givenProject, ...crawlFields } = crawlFile;
  const projectName = givenProject?.name ?? plan.projectName;
  const crawlId = givenId ?? resourceId('crawl', projectName, plan.date ?? 'undated');
  const holdsCrawl = plan.crawlTypes.length > 0 || plan.crawlFile !== undefined;
  if (holdsCrawl) refuseTwins(resources, crawlId, plan.dir);

  const datasets = new Map<CrawlDataType, StoredDataset>();
  for (const dataType of plan.crawlTypes)
    datasets.set(dataType, await importDataset(context, plan.dir, crawlId, dataType));
  const projectData = await importProjectData(context, plan, resourceId('project', projectName));
  const data = await describeData(context.rows, datasets);
  const startUrl =
    givenProject?.start_url ?? data.startUrl ?? (await firstUrl(plan)) ?? 'https://www.sandbox.example/';

  resources.transaction(() => {
    const project = ensureProject(resources, {
      name: projectName,
      startUrl,
      hasLogs: plan.hasLogs,
      hasRanking: plan.hasRanking,
      extra: givenProject ?? {},
    });
    for (const [name, dataset] of projectData) resources.putDataset(project.id, name, dataset);
    for (const name of plan.projectTypes)
      resources.putFingerprint(projectDataSource(project.id, name), plan.dir);
    if (holdsCrawl) {
      const { createdAt, endedAt } = times(plan, crawlFile, context.clock);
      const extra = { ...crawlFields, ...(crawlFields.project_id ? { project_id: project.id } : {}) };
      putCrawl(resources, { project, id: crawlId, createdAt, endedAt, extra, ...data });
      resources.dropDatasets(crawlId);
      for (const [dataType, dataset] of datasets) resources.putDataset(crawlId, dataType, dataset);
      resources.putFingerprint(`crawl ${crawlId}`, plan.dir);
    }
    resources.putFingerprint(`import ${plan.dir}`, plan.fingerprint);
  });
  const projectId = resourceId('project', projectName);
  context.logger.info('imported', {
    dir: plan.dir,
    project: projectName,
    crawl: holdsCrawl ? crawlId : undefined,
  });
  return { project_id: projectId, crawl_id: holdsCrawl ? crawlId : null };
}

/** Returns whether the current folder has already been imported into this state. */
export function isImported(resources: Resources, dir: string): boolean {
  const plan = planFolder(dir);
  return resources.fingerprint(`import ${plan.dir}`) === plan.fingerprint;
}

function refuseTwins(resources: Resources, crawlId: string, dir: string): void {
  const other = resources.fingerprint(`crawl ${crawlId}`);
  if (other === undefined || other === dir) return;
  throw new CrawlhouseError('usage', `${dir} and ${other} are the same crawl of the same project`, {
    hint: 'end the folder names with different dates, or add a crawl.json with an id to each folder',
  });
}

/**
 * Returns the times of a crawl. The folder's date is the day on which the crawl ended; without a date, the crawl ends
 * now.
 */
function times(plan: FolderPlan, file: CrawlFile, clock: Clock): { createdAt: number; endedAt: number } {
  const endOfDay = plan.date === undefined ? clock.now() : Date.parse(plan.date) + 23 * HOUR;
  const endedAt = file.ended_at ?? endOfDay;
  return { endedAt, createdAt: file.created_at ?? endedAt - 3 * HOUR };
}

async function firstUrl(plan: FolderPlan): Promise<string | undefined> {
  for (const type of plan.projectTypes) {
    const file = join(plan.dir, `${type}.jsonl`);
    if (!existsSync(file)) continue;
    for await (const { line } of readLines(file)) {
      const url = (JSON.parse(line) as Record<string, unknown>).url;
      if (typeof url === 'string' && URL.canParse(url)) return `${new URL(url).origin}/`;
    }
  }
  return undefined;
}

/** @throws CrawlhouseError `bad_project` with file and key */
async function readCrawlFile(file: string | undefined): Promise<CrawlFile> {
  if (file === undefined) return {};
  const hint = 'crawl.json contains fields of a crawl (api-spec.md §2.4) and project: {name, start_url}';
  return await readJsonFile(file, CrawlFile, { code: 'bad_project', hint });
}

/**
 * Loads the data of a folder for its project: log monitoring and ranking performance. Pages of log monitoring that no
 * folder contains are derived from the events.
 *
 * @throws CrawlhouseError `usage` if another folder contains the same data of the same project
 */
async function importProjectData(
  context: ServiceState,
  { dir, projectTypes }: FolderPlan,
  projectId: string,
): Promise<ReadonlyMap<DatasetName, StoredDataset>> {
  const { resources, rows, logger } = context;
  for (const name of projectTypes) {
    const other = givenBy(resources, projectId, name);
    if (other === undefined || other === dir) continue;
    throw new CrawlhouseError('usage', `${dir} and ${other} both contain ${name} of the same project`, {
      hint: 'merge them into one file, or rename the folders to form separate projects',
    });
  }
  const data = new Map<DatasetName, StoredDataset>();
  for (const name of projectTypes) data.set(name, await importDataset(context, dir, projectId, name));
  const events = data.get('events');
  if (events === undefined) return data;

  const missing = derivedGranularities(resources, projectId).filter(
    (granularity) => !data.has(`log_pages_${granularity}`),
  );
  const project = { id: projectId, weeks: weekDefinitionOf(resources.get('projects', projectId)) };
  for (const [granularity, dataset] of await deriveLogPages(rows, events, project, missing)) {
    if (dataset.table === undefined)
      logger.warn('events without a URL or a date produce no log pages', { dir, granularity });
    data.set(`log_pages_${granularity}`, dataset);
  }
  return data;
}
