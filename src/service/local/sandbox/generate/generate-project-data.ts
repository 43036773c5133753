import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { type DatasetName, fieldRecordsOf } from '../../fields/field-records-of.ts';
import { deriveLogPages } from '../../logs/derive-log-pages.ts';
import { weekDefinitionOf } from '../../logs/log-metadata.ts';
import { resourceId } from '../../resources/ids.ts';
import type { Dataset, Resources } from '../../resources/resources.ts';
import { ensureProject } from '../../resources/seed.ts';
import type { ServiceRows } from '../../rows/row-store.ts';
import { createTable } from './create-table.ts';
import { eventFacts, eventRowValues } from './event-rows.ts';
import type { GenerateSpec } from './parse-spec.ts';
import { rankingFacts, rankingRowValues } from './ranking-rows.ts';
import type { GeneratedSite } from './site.ts';

const DAY = 86_400;
/** Defaults for logs if a spec gives only one of the two. */
const LOG_DAYS = 30;
const EVENTS_A_DAY = 1_000;
const TYPES = ['events', 'ranking_performance'] as const;
/** Pages of a site for which a spec gives none. */
const SLOTS = 500;

/**
 * Generates the data of a project: log monitoring and ranking performance. They cover the days up to the project's last
 * crawl, and the pages of that crawl. Log pages follow from the events.
 */
export async function generateProjectData(
  context: { readonly resources: Resources; readonly rows: ServiceRows },
  spec: GenerateSpec,
  specName: string,
  lastSite: GeneratedSite,
): Promise<void> {
  const hasLogs = spec.events > 0 || spec.log_days > 0;
  const hasRanking = spec.ranking_days > 0;
  if (!hasLogs && !hasRanking) return;
  const { resources, rows } = context;
  const name = lastSite.host.replace(/^www\./, '').replace(/\.example$/, '');
  const id = resourceId('project', name);
  refuseTwins(resources, id, spec, specName);

  const site = lastSite.slots > 1 ? lastSite : { ...lastSite, slots: SLOTS, links: SLOTS * 20 };
  const lastDay = Math.floor(site.endedAt / DAY) * DAY;
  const data = new Map<DatasetName, Dataset>();
  if (hasLogs) {
    const days = spec.log_days || LOG_DAYS;
    const facts = eventFacts(site, spec.events || days * EVENTS_A_DAY, days, lastDay);
    const events = await table('events', facts, eventRowValues(site));
    data.set('events', events);
    const weeks = weekDefinitionOf(resources.get('projects', id));
    for (const [granularity, pages] of await deriveLogPages(rows, events, { id, weeks }))
      data.set(`log_pages_${granularity}`, pages);
  }
  if (hasRanking) {
    const facts = rankingFacts(site, spec.ranking_days, lastDay);
    data.set('ranking_performance', await table('ranking_performance', facts, rankingRowValues(site)));
  }
  resources.transaction(() => {
    const project = ensureProject(resources, {
      name,
      startUrl: `https://${site.host}/`,
      hasLogs,
      hasRanking,
    });
    for (const [dataset, made] of data) resources.putDataset(project.id, dataset, made);
    resources.putFingerprint(`project data ${id}`, specName);
  });

  function table(dataset: DatasetName, facts: string, values: Readonly<Record<string, string>>) {
    const fields = fieldRecordsOf(dataset);
    const content = { fields, known: fields, facts, values, key: 'n' };
    return createTable(rows, site, `${dataset}_${id}`, content);
  }
}

function refuseTwins(resources: Resources, id: string, { seed }: GenerateSpec, specName: string): void {
  const other = resources.fingerprint(`project data ${id}`);
  const isThere = TYPES.some((name) => resources.dataset(id, name) !== undefined);
  if (other === undefined || other === specName || !isThere) return;
  throw new CrawlhouseError(
    'usage',
    `two specs of --generate give the data of projects of the seed ${seed}`,
    {
      hint: 'give each spec its own seed, and another state directory where the spec of one changed',
    },
  );
}
