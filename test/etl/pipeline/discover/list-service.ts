import { decodeRison } from '../../../../src/client/http/rison.ts';
import { sendJson, type TestService, testService } from '../../../client/test-service.ts';

/** A crawl as a list has it. */
export interface SomeCrawl {
  readonly id: string;
  readonly project_id: string;
  readonly status: string;
  readonly [key: string]: unknown;
}

/** A crawl of the project `p`, done. */
export function someCrawl(id: string, more: Partial<SomeCrawl> = {}): SomeCrawl {
  return { id, project_id: 'p', status: 'done', ...more };
}

/** Crawls by the numbers of their ids, the newest (the greatest) first. */
export function crawlsDownFrom(count: number): SomeCrawl[] {
  return Array.from({ length: count }, (_none, index) => someCrawl(`c${count - index}`));
}

/**
 * A service whose list of crawls is what `items` gives for each request, by page or by ids, and each crawl of it alone.
 */
export function listService(items: (request: number) => readonly SomeCrawl[]): Promise<TestService> {
  return testService(({ path }, response, count) => {
    const all = items(count);
    const single = /\/crawls\/(\w+)$/.exec(path)?.[1];
    if (single !== undefined) {
      const crawl = all.find(({ id }) => id === single);
      if (crawl) sendJson(response, 200, { crawl });
      else sendJson(response, 404, { type: 'resource_not_found' });
      return;
    }
    const query = new URLSearchParams(path.split('?')[1]);
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
    const ids = idsOf(query.get('filters'));
    const matching = ids ? all.filter(({ id }) => ids.includes(id)) : all;
    sendJson(response, 200, {
      meta: { offset, limit, total: matching.length },
      crawls: matching.slice(offset, offset + limit),
    });
  });
}

function idsOf(filters: string | null): string[] | undefined {
  if (filters === null) return undefined;
  const tree = decodeRison(filters) as { or?: { field: string[] }[]; field?: string[] };
  return (tree.or ?? [{ field: tree.field ?? [] }]).map(({ field }) => `${field[2]}`);
}
