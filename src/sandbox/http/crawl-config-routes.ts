import type { FastifyInstance } from 'fastify';
import { GET_CRAWL_CONFIG, LIST_CRAWL_CONFIGS } from '../../api/crawl-configs.ts';
import type { Context } from './context.ts';
import { find } from './find.ts';
import { serve } from './serve.ts';

/** Crawl configurations (api-spec.md §4.7). */
export function crawlConfigRoutes(api: FastifyInstance, { resources }: Context): void {
  serve(api, LIST_CRAWL_CONFIGS, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    return { crawl_configs: resources.list('crawl_configs', project.id) };
  });
  serve(api, GET_CRAWL_CONFIG, ({ parameters }) => {
    const project = find(resources, 'projects', parameters.project_id);
    return { crawl_config: find(resources, 'crawl_configs', parameters.crawl_config_id, project.id) };
  });
}
