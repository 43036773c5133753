import type { Verdict } from './unit-case.ts';

/**
 * What may be wrong with the lists of a run. `loads`: every unit goes on as if nothing were; `either`: the run may end
 * with an error and change nothing, or leave the broken record out; `never`: the run must not say that all is well.
 */
export const LISTS = {
  right: 'loads',
  crawl_in_two_workspaces: 'loads',
  hostile_names: 'loads',
  broken_end_of_a_crawl: 'never',
  crawl_without_id: 'never',
  path_as_id: 'either',
  workspaces_short: 'never',
  crawls_short: 'never',
  endless_crawls: 'never',
  same_page_again: 'never',
  negative_total: 'never',
  deep_nesting: 'either',
  huge_answer: 'never',
  html: 'never',
  array: 'never',
  redirect: 'never',
  brotli: 'either',
} as const satisfies Readonly<Record<string, Verdict>>;
export type ListFault = keyof typeof LISTS;

const WORKSPACE = 'b00000000000000000000001';
const SECOND = 'b00000000000000000000002';
const PROJECT = 'a00000000000000000000001';
const ENDED = Date.UTC(2026, 0, 1);

/** An answer to a list request. */
export type ListAnswer =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly redirect: string }
  | { readonly brotli: unknown };

/** The answer to `GET path` of the lists; null where the path is none of theirs. */
export function answerList(fault: ListFault, url: URL, crawlIds: readonly string[]): ListAnswer | null {
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 100);
  const page = (key: string, items: readonly unknown[], total = items.length): ListAnswer => ({
    json: {
      meta: { offset, limit, total, filters: null, sort: null },
      [key]: items.slice(offset, offset + limit),
    },
  });
  const path = url.pathname.replace('/api/v2', '');
  if (path === '/workspaces') {
    const two = fault === 'crawl_in_two_workspaces' ? [WORKSPACE, SECOND] : [WORKSPACE];
    const items = two.map((id) => ({ id, name: nameOf(fault, 'workspace'), role: 'owner' }));
    return page('workspaces', items, fault === 'workspaces_short' ? 2 : items.length);
  }
  if (/^\/workspaces\/\w+\/projects$/.test(path)) return page('projects', [project(fault)]);
  if (!/^\/workspaces\/\w+\/crawls$/.test(path)) return null;
  const crawls = crawlIds.map((id) => crawl(id));
  switch (fault) {
    case 'broken_end_of_a_crawl':
      return page('crawls', [{ ...crawl('c0ffee000000000000000000'), ended_at: 1.5 }, ...crawls]);
    case 'crawl_without_id':
      return page('crawls', [{ ...crawl(''), id: null }, ...crawls]);
    case 'path_as_id':
      return page('crawls', [crawl('../../../../tmp/crawlhouse'), ...crawls]);
    case 'crawls_short':
      return page('crawls', crawls, crawls.length + 3);
    case 'endless_crawls':
      return {
        json: {
          meta: { offset, limit, total: 1_000_000_000, filters: null, sort: null },
          crawls: Array.from({ length: limit }, (_, index) =>
            crawl(`e${offset + index}`.padEnd(24, '0'), 'running'),
          ),
        },
      };
    case 'same_page_again':
      return {
        json: { meta: { offset, limit, total: crawls.length * 50, filters: null, sort: null }, crawls },
      };
    case 'negative_total':
      return page('crawls', crawls, -1);
    case 'deep_nesting':
      return {
        text: JSON.stringify({
          meta: { offset, limit, total: crawls.length, filters: null, sort: null },
          crawls,
        }).replace('"crawls"', `"more":${'['.repeat(50_000)}${']'.repeat(50_000)},"crawls"`),
      };
    case 'huge_answer':
      return { text: `{"meta":{},"crawls":["${'x'.repeat(80 * 1024 * 1024)}"]}` };
    case 'html':
      return { text: '<html><body>Sign in</body></html>' };
    case 'array':
      return { json: crawls };
    case 'redirect':
      return { redirect: 'http://127.0.0.2:9/api/v2/workspaces' };
    case 'brotli': {
      const plain = page('crawls', crawls);
      return 'json' in plain ? { brotli: plain.json } : plain;
    }
    default:
      return page('crawls', crawls);
  }
}

function nameOf(fault: ListFault, plain: string): string {
  return fault === 'hostile_names' ? `\u001b]0;owned\u0007\u001b[2J${plain}\r\n\u202E; DROP` : plain;
}

function project(fault: ListFault): object {
  return {
    id: PROJECT,
    name: nameOf(fault, 'project'),
    start_url: 'https://example.com/',
    ...(fault === 'hostile_names' ? { features: ['\u001b[31m'], constructor: 1 } : {}),
  };
}

function crawl(id: string, status = 'done'): object {
  return {
    id,
    project_id: PROJECT,
    status,
    link_status: 'live',
    end_reason: status === 'done' ? 'ok' : null,
    created_at: ENDED - 3_600_000,
    ended_at: status === 'done' ? ENDED : null,
    fetched_urls: 10,
  };
}
