import { setInterval } from 'node:timers/promises';
import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import { NotFound, type Page, type PageRequest } from '../page-parts/console-page.ts';
import { readProjects } from '../page-parts/read-projects.ts';
import { CRAWL } from '../pages/crawl-page.ts';
import { OVERVIEW } from '../pages/overview-page.ts';
import { COMPARE } from '../pages/project/compare-page.ts';
import { DEMAND } from '../pages/project/demand-page.ts';
import { ISSUES } from '../pages/project/issues-page.ts';
import { MIGRATION } from '../pages/project/migration-page.ts';
import { PAGE_LIST } from '../pages/project/page-list-page.ts';
import { PROJECT } from '../pages/project/project-page.ts';
import { STRUCTURE } from '../pages/project/structure-page.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';

/** Time in milliseconds between two checks for a new publication; a person who waited for it reads undisturbed until then. */
const LOOK_MS = 120_000;
const MOST_PROJECTS = 20;
const OF_PROJECT = [PROJECT, ISSUES, STRUCTURE, COMPARE, DEMAND, MIGRATION, PAGE_LIST];
const VIEWER = { subject: '', role: 'viewer', csrf: '' } as const;
const MAY_NOTHING = { may: () => false, canAct: false, isOwners: false } as const;

interface Preparing extends Pick<PageRequest, 'actions' | 'shared' | 'accounts'> {
  readonly readers: Readers;
}

/**
 * Reads the default views of the pages, so that their answers are kept (`Readers.once`) before a person requests them.
 * Repeats this in the background after each publication and at the start of each UTC day.
 */
export async function preparePages(preparing: Preparing, signal: AbortSignal): Promise<void> {
  const { readers } = preparing;
  const until = AbortSignal.any([signal, readers.closing]);
  const logged = new Set<string>();
  let prepared = '';
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      const { code, message } = toCrawlhouseError(thrown);
      const isExpected = thrown instanceof NotFound || code === 'nothing_published';
      if (until.aborted || isExpected || logged.has(message)) return;
      logged.add(message);
      readers.logger.warn('a page could not be prepared', { because: message });
    }
  };
  const prepare = async (): Promise<void> => {
    const stamp = await readers.currentStamp();
    if (stamp === prepared) return;
    await attempt(() => readPage(OVERVIEW, {}, preparing, until));
    const projects = await readProjects(readers).catch(withoutModels([]));
    const newest = projects.toSorted((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? 1 : -1));
    for (const { project_id, crawl_id } of newest.slice(0, MOST_PROJECTS)) {
      const pages = OF_PROJECT.map((page) => ({ page, path: { project_id } as Record<string, string> }));
      if (crawl_id !== null) pages.push({ page: CRAWL, path: { crawl_id } });
      for (const { page, path } of pages) {
        if (until.aborted || (await readers.currentStamp()) !== stamp) return;
        if (!readers.isHalfFull) await attempt(() => readPage(page, path, preparing, until));
      }
    }
    prepared = stamp;
  };
  await attempt(prepare);
  const again = async (): Promise<void> => {
    for await (const _ of setInterval(LOOK_MS, undefined, { ref: false, signal: until }))
      await attempt(prepare);
  };
  // Ends only by its signal.
  again().catch(() => {});
}

async function readPage(
  page: Page<unknown>,
  path: Readonly<Record<string, string>>,
  { readers, ...serving }: Preparing,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams(page.query?.wait === undefined ? {} : { wait: '1' });
  const request = { path, query, session: VIEWER, isOwn: true, ...MAY_NOTHING, ...serving };
  await readers.lanes.preparing(() => page.read(request, readers, signal));
}
