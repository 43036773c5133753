import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readStatus } from '../../../src/app/operations/status/read-status.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import type { RunResult } from '../../../src/etl/project/model/runs/run-result.ts';
import { sendJson } from '../../client/test-service.ts';
import { meddledSandbox } from '../../support/meddler.ts';
import {
  clearFaults,
  crawlhouse,
  environmentOf,
  published,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const DATA = 'projects=2,crawls=2,comparisons=1,pages=15,links=20,columns=10,seed=61';
/** Of every kind of source. */
const PIPELINES = {
  pipelines: [
    'crawls',
    'crawl_over_crawls',
    'data_exports',
    'crawl_configs',
    'fields',
    'crawl_pages',
    'crawl_links',
    'crawl_over_crawl_pages',
    'log_events',
    'ranking_performance',
  ],
};
const LAPSED = 'ffffffffffffffffffffffff';

interface Account {
  readonly workspace: string;
  readonly projects: readonly string[];
  readonly crawls: readonly string[];
  readonly comparisons: readonly string[];
}

/** What of the account is forbidden: its requests, and the units that need them. */
interface Refused {
  readonly path: RegExp;
  readonly needs: (unit: string) => boolean;
}

/** A service with one workspace of data, another one without, and a place for refusals. */
async function scene(lists: readonly string[] = [DATA]) {
  const plain = await sandboxFor({ generate: [...lists] });
  const account = await accountOf(plain);
  const refusal: { of: RegExp | null; status: number; from: number } = { of: null, status: 403, from: 0 };
  let met = 0;
  const sandbox = await meddledSandbox(plain, (request, response) => {
    const asked = `${request.method} ${request.url}`;
    if (refusal.of?.test(asked) && met++ >= refusal.from) {
      sendJson(response, refusal.status, {
        type: refusal.status === 401 ? 'unauthorized' : 'forbidden',
        message: 'no',
      });
      return 'answered';
    }
    return withLapsed(request, response);
  });
  const refuse = (of: RegExp | null, status = 403, from = 0): void => {
    met = 0;
    Object.assign(refusal, { of, status, from });
  };
  return { sandbox, account, refuse };
}

/** A second workspace, which has nothing. */
function withLapsed(request: IncomingMessage, response: Parameters<typeof sendJson>[0]) {
  if (/\/workspaces(\?|$)/.test(request.url ?? ''))
    return ({ workspaces, meta }: { workspaces: object[]; meta: { total: number } }) => ({
      workspaces: [...workspaces, { ...workspaces[0], id: LAPSED, name: 'lapsed' }],
      meta: { ...meta, total: meta.total + 1 },
    });
  const list = new RegExp(`/workspaces/${LAPSED}/(\\w+)`).exec(request.url ?? '')?.[1];
  if (list === undefined) return null;
  sendJson(response, 200, { [list]: [], account: [], meta: { total: 0, offset: 0, limit: 100 } });
  return 'answered' as const;
}

async function accountOf({
  baseUrl,
  accessToken,
}: {
  baseUrl: string;
  accessToken: string;
}): Promise<Account> {
  const ask = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await (await fetch(`${baseUrl}/api/v2${path}`, { headers })).json()) as T;
  };
  type List = Record<string, { id: string }[]>;
  const workspace = (await ask<List>('/workspaces')).workspaces?.[0]?.id ?? '';
  const ids = async (list: string): Promise<string[]> =>
    ((await ask<List>(`/workspaces/${workspace}/${list}`))[list] ?? []).map(({ id }) => id);
  return {
    workspace,
    projects: await ids('projects'),
    crawls: await ids('crawls'),
    comparisons: await ids('crawl_over_crawls'),
  };
}

/** What can be forbidden by itself. */
function refusable({ workspace, projects, crawls, comparisons }: Account): Record<string, Refused> {
  const of =
    (id = '') =>
    (unit: string): boolean =>
      unit.includes(id);
  const [crawl, comparison, project] = [crawls[0], comparisons[0], projects[0]];
  return {
    'the data of a crawl': { path: new RegExp(`/data/crawl/${crawl}/`), needs: of(crawl) },
    'the fields of a crawl': { path: new RegExp(`/data/crawl/${crawl}/.*fields`), needs: of(crawl) },
    'the stream of a crawl': { path: new RegExp(`/data/crawl/${crawl}/.*export=true`), needs: of(crawl) },
    'the links of a crawl': { path: new RegExp(`/data/crawl/${crawl}/links`), needs: of(crawl) },
    'the data of a comparison': {
      path: new RegExp(`/data/crawl_over_crawl/${comparison}/`),
      needs: of(comparison),
    },
    'the fields of a comparison': {
      path: new RegExp(`/data/crawl_over_crawl/${comparison}/.*fields`),
      needs: of(comparison),
    },
    'the list of comparisons': {
      path: new RegExp(`/workspaces/${workspace}/crawl_over_crawls`),
      needs: (unit) => unit.startsWith('crawl_over_crawl'),
    },
    'the list of data exports': {
      path: new RegExp(`/workspaces/${workspace}/data_exports`),
      needs: (unit) => unit.startsWith('data_exports'),
    },
    'the configurations of a project': {
      path: new RegExp(`/projects/${project}/crawl_configs`),
      needs: (unit) => unit === `crawl_configs/${project}`,
    },
    'the logs of a project': { path: new RegExp(`/${project}/log_monitoring`), needs: of(project) },
    'the ranking of a project': { path: new RegExp(`/${project}/ranking`), needs: of(project) },
    'a workspace': { path: new RegExp(`/workspaces/${LAPSED}/`), needs: of(LAPSED) },
  };
}

/** Each unit with what came of it. */
function outcomes({ report }: RunResult): Map<string, unknown> {
  return new Map(report.units.map(({ unit, status, counts }) => [unit, [status, counts]]));
}

/** Each unit's rows, by their number and content. */
async function rowsOf(folder: string): Promise<Map<string, unknown>> {
  const connection = await temporaryConnection(await temporaryFolder());
  const tables = ['crawl_pages', 'crawl_links', 'crawl_over_crawl_pages'];
  const found = new Map<string, unknown>();
  for (const table of tables) {
    const sql = `SELECT _unit AS unit, count(*) AS n, CAST(sum(CAST(hash(COLUMNS(* EXCLUDE (_unit, _run_id, _loaded_at))) AS HUGEINT)) AS VARCHAR) FROM raw.${table} GROUP BY _unit`;
    for (const { unit, ...rest } of await published(connection, folder, sql).catch(() => []))
      found.set(String(unit), Object.values(rest).map(String).sort());
  }
  return found;
}

/** The entries of units that do not need what is refused. */
function others(all: ReadonlyMap<string, unknown>, { needs }: Pick<Refused, 'needs'>): Map<string, unknown> {
  return new Map([...all].filter(([unit]) => !needs(unit)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('for any forbidden path, all other units are loaded, and the next run loads the rest', async () => {
  const { sandbox, account, refuse } = await scene();
  const whole = await rawProjectFolder();
  const reference = await runProject(whole, sandbox, PIPELINES);
  expect([reference.exitCode, reference.errors.map((one) => one.message)]).toEqual([0, []]);
  const [wanted, rows] = [outcomes(reference), await rowsOf(whole)];
  const random = seededRandom(roundSeed());
  const choices = Object.entries(refusable(account)).toSorted(() => random() - 0.5);
  for (const [name, refused] of ALL_ROUNDS ? choices : choices.slice(0, 3)) {
    const folder = await rawProjectFolder();
    const from = Math.floor(random() * 2);
    refuse(refused.path, 403, from);
    const ran = await runProject(folder, sandbox, PIPELINES);
    const failed = ran.report.units.filter(({ status }) => status === 'failed');
    expect([name, from, ran.exitCode]).toEqual([name, from, failed.length > 0 ? 3 : 0]);
    expect([name, others(outcomes(ran), refused)]).toEqual([name, others(wanted, refused)]);
    expect([name, others(await rowsOf(folder), refused)]).toEqual([name, others(rows, refused)]);
    expect(failed.filter(({ unit }) => !refused.needs(unit))).toEqual([]);
    refuse(null);
    expect([name, (await runProject(folder, sandbox, PIPELINES)).exitCode]).toEqual([name, 0]);
    expect([name, await rowsOf(folder)]).toEqual([name, rows]);
  }
});

/** Requests of a store's bucket: what is done, by the service (`put`) or by us. */
const OF_BUCKET = {
  put: { by: 'PUT|POST', path: '' },
  list: { by: 'GET', path: '[?&]prefix=' },
  get: { by: 'GET', path: '^(?!.*[?&]prefix=)' },
} as const;

test('for any forbidden bucket, all other units are loaded, and the next run loads the rest', async () => {
  const { sandbox, account } = await scene();
  const random = seededRandom(roundSeed());
  const crawl = account.crawls[0] ?? '';
  const parts = { 'one crawl': crawl, 'the bucket': '' };
  const choices = (['store_a', 'store_b'] as const)
    .flatMap((store) =>
      Object.keys(OF_BUCKET).map((action) => [store, action as keyof typeof OF_BUCKET] as const),
    )
    .flatMap((choice) => Object.entries(parts).map(([name, part]) => ({ choice, name, part })))
    .toSorted(() => random() - 0.5);
  const pipelines = ['crawls', 'crawl_pages', 'crawl_links'];
  const wholes = new Map<string, readonly [ReadonlyMap<string, unknown>, ReadonlyMap<string, unknown>]>();
  for (const { choice, name, part } of ALL_ROUNDS ? choices : choices.slice(0, 2)) {
    const [store, action] = choice;
    const options = { pipelines, route: 'export', store } as const;
    if (!wholes.has(store)) {
      const whole = await rawProjectFolder();
      wholes.set(store, [outcomes(await runProject(whole, sandbox, options)), await rowsOf(whole)]);
    }
    const [wanted, rows] = wholes.get(store) ?? [];
    const needs = (unit: string): boolean => !unit.startsWith('crawls/') && unit.includes(part);
    const round = [...choice, name];
    const folder = await rawProjectFolder();
    const { by, path } = OF_BUCKET[action];
    const faults = by
      .split('|')
      .map((method) => ({
        match: { at: store, method, path: `${path}.*${part}` },
        kind: 'status' as const,
        status: 403,
      }));
    await setFaults(sandbox, faults);
    // With data exports of its own, not with those of former rounds.
    const ran = await runProject(folder, sandbox, { ...options, reload: true });
    const failed = ran.report.units.filter(({ status }) => status === 'failed');
    const due = [...(wanted?.keys() ?? [])].filter(needs).sort();
    expect([round, ran.exitCode, failed.map(({ unit }) => unit).sort()]).toEqual([round, 3, due]);
    expect([round, others(outcomes(ran), { needs })]).toEqual([
      round,
      others(wanted ?? new Map(), { needs }),
    ]);
    expect([round, others(await rowsOf(folder), { needs })]).toEqual([
      round,
      others(rows ?? new Map(), { needs }),
    ]);
    await clearFaults(sandbox);
    expect([round, (await runProject(folder, sandbox, options)).exitCode]).toEqual([round, 0]);
    expect([round, await rowsOf(folder)]).toEqual([round, rows]);
  }
});

test('a permanently forbidden crawl fails alone in each run, and the runs end with 3', async () => {
  const { sandbox, account, refuse } = await scene();
  const folder = await rawProjectFolder();
  refuse(new RegExp(`/data/crawl/${account.crawls[0]}/`));
  const pipelines = { pipelines: ['crawl_pages'] };
  const first = await runProject(folder, sandbox, pipelines);
  const statuses = first.report.units.map(({ status }) => status).toSorted();
  expect([first.exitCode, statuses]).toEqual([3, ['failed', 'loaded', 'loaded', 'loaded']]);
  const second = await runProject(folder, sandbox, pipelines);
  expect([second.exitCode, second.report.units.map(({ error }) => error?.code)]).toEqual([3, ['forbidden']]);
});

test('a forbidden workspace is its own incident, with a hint about the setting workspaces', async () => {
  const { sandbox, account, refuse } = await scene();
  const folder = await rawProjectFolder();
  refuse(new RegExp(`/workspaces/${LAPSED}/`));
  const ran = await runProject(folder, sandbox, PIPELINES);
  expect(ran.exitCode).toBe(3);
  const failed = ran.report.units.filter(({ status }) => status === 'failed');
  expect(new Set(failed.map(({ source }) => source.id))).toEqual(new Set([LAPSED]));
  const status = await readStatus(await loadSettings(folder, environmentOf(sandbox)), Date.now());
  expect(status.incidents).toMatchObject([
    {
      key: `units/${LAPSED}/forbidden`,
      title: `${failed.length} units of workspace ${LAPSED} failed: forbidden`,
      hint: expect.stringContaining(`the setting workspaces: [${account.workspace}]`),
    },
  ]);
  expect(status.incidents[0]?.details[0]).toContain(
    `workspace lapsed (${LAPSED}): GET /workspaces/${LAPSED}/`,
  );
  // Without a unit of its own in the run, it is an incident of the run.
  const bare = await rawProjectFolder();
  const pages = await runProject(bare, sandbox, { pipelines: ['crawl_pages'] });
  expect([pages.exitCode, pages.report.units.map((one) => one.status)]).toEqual([3, Array(4).fill('loaded')]);
  const said = await readStatus(await loadSettings(bare, environmentOf(sandbox)), Date.now());
  expect(said.incidents).toMatchObject([{ title: 'run failed: forbidden' }]);
});

test.for(['/workspaces(\\?|$)', '/workspaces/\\w+/', '/'])(
  'if the service forbids all of %s, the run ends with 5',
  async (path) => {
    const { sandbox, refuse } = await scene(['projects=1,crawls=1,pages=5,columns=8,seed=3']);
    refuse(new RegExp(`api/v2${path}`));
    const { exitCode, errors } = await runProject(await rawProjectFolder(), sandbox);
    expect([exitCode, errors.at(-1)?.code]).toEqual([5, 'all_forbidden']);
  },
);

test('a 401 at any time ends the run; loaded units are published, untried units are reported', async () => {
  const { sandbox, refuse } = await scene();
  const whole = await rawProjectFolder();
  const wanted = outcomes(await runProject(whole, sandbox, PIPELINES));
  const rows = await rowsOf(whole);
  const random = seededRandom(roundSeed());
  for (let round = 0; round < (ALL_ROUNDS ? 10 : 1); round++) {
    const folder = await rawProjectFolder();
    refuse(/\/data\/crawl\//, 401, Math.floor(random() * 20));
    const ran = await runProject(folder, sandbox, PIPELINES);
    expect(ran.exitCode).toBe(5);
    expect([...outcomes(ran).keys()].sort()).toEqual([...wanted.keys()].sort());
    const untried = ran.report.units.filter(({ error }) => error?.message.startsWith('not tried'));
    expect(untried.every(({ status, attempts }) => status === 'failed' && attempts === 0)).toBe(true);
    for (const [unit, content] of await rowsOf(folder)) expect(content).toEqual(rows.get(unit));
    refuse(null);
    expect((await runProject(folder, sandbox, PIPELINES)).exitCode).toBe(0);
    expect(await rowsOf(folder)).toEqual(rows);
  }
});

test('a plan warns about an unreadable workspace', async () => {
  const { sandbox, refuse } = await scene(['projects=1,crawls=1,pages=5,columns=8,seed=3']);
  refuse(new RegExp(`/workspaces/${LAPSED}/`));
  const folder = await rawProjectFolder();
  const { status, stdout, stderr } = await crawlhouse(folder, sandbox, ['run', '--plan']);
  expect([status, stdout.includes('crawl_pages')]).toEqual([expect.toBeOneOf([0, 3]), true]);
  expect(stderr).toContain(`not in the plan: workspace lapsed (${LAPSED})`);
});

test.for([400, 401, 403])(
  'a token endpoint that refuses the refresh with %s ends the run with 5',
  async (status) => {
    const plain = await sandboxFor({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=3'] });
    const { client_id, client_secret } = plain.ready.oauth;
    let asked = 0;
    const sandbox = await meddledSandbox(plain, (request, response) => {
      if (!/\/token(\?|$)/.test(request.url ?? '')) return null;
      asked++;
      sendJson(response, status, { error: 'invalid_grant', error_description: 'the grant was withdrawn' });
      return 'answered';
    });
    const environment = {
      CRAWLHOUSE_ACCESS_TOKEN: undefined as unknown as string,
      CRAWLHOUSE_OAUTH_CLIENT_ID: client_id,
      CRAWLHOUSE_OAUTH_CLIENT_SECRET: client_secret,
      CRAWLHOUSE_OAUTH_REFRESH_TOKEN: 'refresh-token-of-the-refusals-test',
    };
    const ran = await runProject(await rawProjectFolder(), sandbox, { environment });
    expect([ran.exitCode, asked]).toEqual([5, 1]);
    expect(ran.errors.at(-1)).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('token'),
      hint: expect.stringMatching(/sign in|refresh/),
    });
  },
);
