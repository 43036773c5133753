import { expect, test } from 'vitest';
import type { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { type DiscoveryScope, discover } from '../../../../src/etl/pipeline/discover/discover.ts';
import type { Pipeline } from '../../../../src/etl/project/model/pipeline.ts';
import { exitCodeOf } from '../../../../src/etl/project/model/runs/run-result.ts';
import { NOTHING_KNOWN } from '../../../../src/etl/state/catalog/ops/ops-lists.ts';
import { sendJson, type TestService, testClient, testService } from '../../../client/test-service.ts';

const signal = new AbortController().signal;

const ALL: DiscoveryScope = {
  workspaces: 'all',
  projects: 'all',
  pipelines: [],
  known: NOTHING_KNOWN,
  loaded: new Set(),
  sweepDays: 7,
  sweep: false,
  now: Date.parse('2026-06-01T06:00:00Z'),
};

/** A service with two workspaces of one project and one crawl each. */
function service(
  refusal: (path: string) => { readonly status: number; readonly body: object } | null = () => null,
): Promise<TestService> {
  return testService((seen, response) => {
    const refused = refusal(seen.path);
    if (refused !== null) return sendJson(response, refused.status, refused.body);
    const [, workspace = '', list = 'workspaces'] = /\/workspaces(?:\/(\w+)\/(\w+))?\?/.exec(seen.path) ?? [];
    const items = {
      workspaces: [
        { id: 'w1', name: 'One' },
        { id: 'w2', name: 'Two' },
      ],
      projects: [{ id: `p-${workspace}`, name: 'P', start_url: 'https://x' }],
      crawls: [{ id: `c-${workspace}`, project_id: `p-${workspace}`, status: 'done' }],
      crawl_over_crawls: [],
    }[list];
    const meta = { offset: 0, limit: 100, total: items?.length ?? 0 };
    sendJson(response, 200, { meta, [list]: items, account: [], project: [] });
  });
}

test('every workspace is read with its projects and crawls', async () => {
  const { workspaces } = await discover(testClient(await service()), ALL, signal);
  expect(workspaces.map((one) => [one.id, one.projects.items[0]?.id, one.crawls.items[0]?.id])).toEqual([
    ['w1', 'p-w1', 'c-w1'],
    ['w2', 'p-w2', 'c-w2'],
  ]);
});

test('only the selected workspaces are read', async () => {
  const asked = await service();
  const { workspaces } = await discover(testClient(asked), { ...ALL, workspaces: ['w2'] }, signal);
  expect(workspaces.map((one) => one.id)).toEqual(['w2']);
  expect(asked.seen.some((one) => one.path.includes('w1'))).toBe(false);
});

test('a workspace that the token cannot access is a configuration error', async () => {
  await expect(
    discover(testClient(await service()), { ...ALL, workspaces: ['w1', 'w9'] }, signal),
  ).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'workspaces: the token has no access to a workspace w9',
    hint: 'its workspaces: w1 (One), w2 (Two)',
  });
});

/** Refusals that only skip a unit, and the lists of the scene. */
const SKIPS = [
  { status: 403, type: 'forbidden', code: 'feature_not_available' },
  { status: 409, type: 'invalid_state_for_request', code: 'not_ready' },
] as const;
const LISTS = ['workspaces?', 'w1/projects', 'w1/crawls', 'w1/crawl_over_crawls', 'w1/data_exports'];

test('a requested list that was not read never ends with exit code 0', async () => {
  const asked = ['crawl_over_crawl', 'data_export'].map(
    (kind) => ({ source: { kind, data_type: kind } }) as Pipeline,
  );
  for (const { status, ...body } of SKIPS)
    for (const list of LISTS) {
      const refusing = await service((path) =>
        path.includes(list) ? { status, body: { ...body, message: 'not now' } } : null,
      );
      const scope = { ...ALL, pipelines: asked };
      const errors = await discover(testClient(refusing), scope, signal).then(
        ({ failures }) => failures,
        (thrown: CrawlhouseError) => [thrown],
      );
      expect([list, exitCodeOf(errors), errors[0]?.code]).toEqual([list, 3, 'list_unread']);
      expect(errors[0]?.message).toContain('not now');
    }
});
