import type { FastifyInstance } from 'fastify';
import {
  CREATE_SCHEDULED_CRAWL,
  DELETE_SCHEDULED_CRAWL,
  LIST_SCHEDULED_CRAWLS,
} from '../../../api/resources/scheduled-crawls.ts';
import { firing, firingFrom } from '../../crawls/recurrence.ts';
import { find } from '../../resources/find.ts';
import { resourceId } from '../../resources/ids.ts';
import { publicView } from '../../resources/public-view.ts';
import { invalidParameter, Refusal } from '../../resources/refusal.ts';
import type { Context } from '../context.ts';
import { listPage } from '../list-page.ts';
import { serve } from '../serve.ts';

/** The latest time: the end of the year 9999. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/** Scheduled crawls (api-spec.md §4.4). */
export function scheduledCrawlRoutes(api: FastifyInstance, { resources, rows, life }: Context): void {
  serve(api, LIST_SCHEDULED_CRAWLS, ({ parameters, query }) => {
    const project = find(resources, 'projects', parameters.project_id);
    return listPage(
      rows,
      { key: 'scheduled_crawls', documents: resources.list('scheduled_crawls', project.id), names: [] },
      query,
    );
  });
  serve(api, CREATE_SCHEDULED_CRAWL, ({ parameters, body: { scheduled_crawl } }) =>
    life.alone((now) => {
      const project = find(resources, 'projects', parameters.project_id);
      const { config_id, recurrence = null, start_date } = scheduled_crawl;
      find(resources, 'crawl_configs', config_id, project.id);
      if (start_date > LAST_TIME)
        throw invalidParameter('start_date', 'too_big', 'is no time before the year 10000');
      // Firings that were missed before it was created are not made up for.
      const n = firingFrom(start_date, recurrence, now);
      if (n === undefined)
        throw new Refusal('invalid_request', 'without a recurrence start_date may not have passed');
      const count = Number(project._schedules ?? 0);
      const scheduled = {
        id: resourceId('scheduled crawl', project.id, count),
        project_id: project.id,
        config_id,
        recurrence,
        start_date,
        _next: { n, at: firing(start_date, recurrence, n) },
      };
      resources.transaction(() => {
        resources.put('projects', '', { ...project, _schedules: count + 1 });
        resources.put('scheduled_crawls', project.id, scheduled);
      });
      return { scheduled_crawl: publicView(scheduled) };
    }),
  );
  serve(api, DELETE_SCHEDULED_CRAWL, ({ parameters }) =>
    life.alone(() => {
      const project = find(resources, 'projects', parameters.project_id);
      const { id } = find(resources, 'scheduled_crawls', parameters.scheduled_crawl_id, project.id);
      resources.delete('scheduled_crawls', id);
    }),
  );
}
