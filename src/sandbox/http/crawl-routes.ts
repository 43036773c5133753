import type { FastifyInstance } from 'fastify';
import { CRAWL_LIST_FIELDS, GET_CRAWL, LIST_CRAWLS } from '../../api/crawls.ts';
import type { Document } from '../resources.ts';
import type { Context } from './context.ts';
import { find } from './find.ts';
import { listPage } from './list-page.ts';
import { serve } from './serve.ts';

/** Crawls (api-spec.md §4.5). */
export function crawlRoutes(api: FastifyInstance, { resources, rows }: Context): void {
  serve(api, LIST_CRAWLS, ({ parameters, query }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    const crawls = resources.list('crawls', workspace.id).sort(newestFirst);
    return listPage(rows, 'crawls', crawls, query, CRAWL_LIST_FIELDS);
  });
  serve(api, GET_CRAWL, ({ parameters }) => ({ crawl: find(resources, 'crawls', parameters.crawl_id) }));
}

function newestFirst(a: Document, b: Document): number {
  return Number(b.created_at ?? 0) - Number(a.created_at ?? 0);
}
