import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What is known of a page, query and device on a day; a null query is one that is not named. */
export interface Shown {
  readonly day: string;
  readonly page: string;
  readonly query: string | null;
  readonly device: 'DESKTOP' | 'MOBILE';
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

interface Body {
  readonly startDate: string;
  readonly endDate: string;
  readonly dimensions: readonly ('date' | 'page' | 'query' | 'device')[];
  readonly rowLimit: number;
  readonly startRow: number;
  readonly type: string;
  readonly dataState: string;
}

export interface SearchConsoleServer {
  readonly origin: string;
  /** The bodies of the queries, in their order. */
  readonly queries: Body[];
  readonly property: string;
  shown: readonly Shown[];
  /** Answers in place of the next queries: status, body, headers. */
  readonly failures: { status: number; body?: object; headers?: Record<string, string> }[];
  /** The file of credentials that lets a client in. */
  readonly credentials: object;
}

const TOKEN = 'token-of-the-test';

/** The Search Console API as its documentation tells it, and the exchange of a token, for one test. */
export async function serveSearchConsole(
  property: string,
  shown: readonly Shown[],
): Promise<SearchConsoleServer> {
  const queries: Body[] = [];
  const failures: SearchConsoleServer['failures'] = [];
  const it = { property, queries, failures, shown };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { status, document, headers } = answer(it, request, body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/locations/global/workforcePools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${origin}/token`,
    credential_source: { url: `${origin}/subject` },
  };
  return Object.assign(it, { origin, credentials });
}

interface Reply {
  readonly status: number;
  readonly document: object | string;
  readonly headers?: Record<string, string>;
}

function answer(
  it: Omit<SearchConsoleServer, 'origin' | 'credentials'>,
  request: IncomingMessage,
  body: string,
): Reply {
  const path = String(request.url);
  if (path === '/subject') return { status: 200, document: 'a.subject.token' };
  if (path === '/token') {
    const scope = new URLSearchParams(body).get('scope');
    if (scope !== 'https://www.googleapis.com/auth/webmasters.readonly')
      return failure(400, `scope ${scope}`);
    const document = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600, issued_token_type: 'x' };
    return { status: 200, document };
  }
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return failure(401, 'no token');
  if (path === '/webmasters/v3/sites')
    return {
      status: 200,
      document: { siteEntry: [{ siteUrl: it.property, permissionLevel: 'siteRestrictedUser' }] },
    };
  if (path !== `/webmasters/v3/sites/${encodeURIComponent(it.property)}/searchAnalytics/query`)
    return failure(404, `no ${path}`);
  const failed = it.failures.shift();
  if (failed)
    return {
      status: failed.status,
      document: failed.body ?? {},
      ...(failed.headers ? { headers: failed.headers } : {}),
    };
  const query = JSON.parse(body) as Body;
  it.queries.push(query);
  if (query.type !== 'web' || query.dataState !== 'final' || query.rowLimit > 25_000)
    return failure(400, 'a wrong query');
  const rows = rowsOf(it.shown, query);
  const page = rows.slice(query.startRow, query.startRow + query.rowLimit);
  return {
    status: 200,
    document: { ...(page.length > 0 ? { rows: page } : {}), responseAggregationType: 'byPage' },
  };
}

function failure(code: number, message: string): Reply {
  return { status: code, document: { error: { code, message } } };
}

/** As the service groups: rows by query leave out those that are not named; most clicks first. */
function rowsOf(shown: readonly Shown[], { startDate, endDate, dimensions }: Body) {
  const cellOf = (one: Shown, name: Body['dimensions'][number]): string =>
    name === 'date' ? one.day : String(one[name]);
  const within = shown.filter(
    (one) =>
      one.day >= startDate && one.day <= endDate && !(dimensions.includes('query') && one.query === null),
  );
  const groups = Map.groupBy(within, (one) => JSON.stringify(dimensions.map((name) => cellOf(one, name))));
  return [...groups]
    .map(([keys, all]) => {
      const sum = (of: (one: Shown) => number): number => all.reduce((total, one) => total + of(one), 0);
      const [clicks, impressions] = [sum((one) => one.clicks), sum((one) => one.impressions)];
      const position = sum((one) => one.position * one.impressions) / impressions;
      return { keys: JSON.parse(keys) as string[], clicks, impressions, ctr: clicks / impressions, position };
    })
    .sort((a, b) => b.clicks - a.clicks || (JSON.stringify(a.keys) < JSON.stringify(b.keys) ? -1 : 1));
}
