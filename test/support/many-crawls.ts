import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Resources } from '../../src/service/resources/resources.ts';
import {
  ensureProject,
  ensureWorkspace,
  refreshProject,
  USER_ID,
  WORKSPACE_ID,
} from '../../src/service/resources/seed.ts';

const DAY = 86_400_000;

/**
 * Puts so many finished crawls, one a day, and as many comparisons into the state of a sandbox that is not running. They
 * have no rows: for tests of lists. Comparisons with archived crawls are cancelled.
 */
export function putManyCrawls(
  stateDir: string,
  count: number,
  last: number,
  state: 'done' | 'archived' = 'done',
): void {
  mkdirSync(stateDir, { recursive: true });
  using resources = new Resources(join(stateDir, 'service.sqlite'));
  resources.transaction(() => {
    ensureWorkspace(resources, 'Sandbox');
    const project = ensureProject(resources, { name: 'years', startUrl: 'https://years.example/' });
    const crawl_config = resources.list('crawl_configs', project.id)[0];
    for (let index = 0; index < count; index++) {
      const [id, before] = [crawlId(index), crawlId(Math.max(0, index - 1))];
      const created_at = last - (count - index) * DAY;
      const common = { project_id: project.id, user_id: USER_ID, end_reason: 'ok' };
      resources.put('crawls', WORKSPACE_ID, {
        ...common,
        id,
        status: state,
        link_status: 'live',
        created_at,
        ended_at: created_at + DAY / 2,
        fetched_urls: 5,
        last_depth: 2,
        features: [],
        crawl_config,
      });
      resources.put('crawl_over_crawls', WORKSPACE_ID, {
        ...common,
        id: id.replace(/^c/, 'd'),
        status: state === 'done' ? 'done' : 'cancelled',
        crawl1_id: before,
        crawl2_id: id,
        creation_date: created_at,
        end_date: created_at + DAY / 2,
      });
    }
    refreshProject(resources, project.id);
  });
}

/** Of the crawls that `putManyCrawls` makes, by their order in time from 0. */
export function crawlId(index: number): string {
  return `c${String(index).padStart(23, '0')}`;
}
