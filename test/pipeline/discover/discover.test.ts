import { expect, test } from 'vitest';
import { type DiscoveryScope, discover } from '../../../src/pipeline/discover/discover.ts';
import { NOTHING_KNOWN } from '../../../src/state/catalogue/ops/ops-lists.ts';
import { sendJson, type TestService, testClient, testService } from '../../service/api/test-service.ts';

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
function service(): Promise<TestService> {
  return testService((seen, response) => {
    const [, workspace = '', list = 'workspaces'] = /\/workspaces(?:\/(\w+)\/(\w+))?\?/.exec(seen.path) ?? [];
    const items = {
      workspaces: [
        { id: 'w1', name: 'One' },
        { id: 'w2', name: 'Two' },
      ],
      projects: [{ id: `p-${workspace}`, name: 'P', start_url: 'https://x' }],
      crawls: [{ id: `c-${workspace}`, project_id: `p-${workspace}`, status: 'done' }],
    }[list];
    sendJson(response, 200, { meta: { offset: 0, limit: 100, total: items?.length }, [list]: items });
  });
}

test('every workspace is read with its projects and crawls', async () => {
  const { workspaces } = await discover(testClient(await service()), ALL, signal);
  expect(workspaces.map((one) => [one.id, one.projects.items[0]?.id, one.crawls.items[0]?.id])).toEqual([
    ['w1', 'p-w1', 'c-w1'],
    ['w2', 'p-w2', 'c-w2'],
  ]);
});

test('only the selected workspaces are asked', async () => {
  const asked = await service();
  const { workspaces } = await discover(testClient(asked), { ...ALL, workspaces: ['w2'] }, signal);
  expect(workspaces.map((one) => one.id)).toEqual(['w2']);
  expect(asked.seen.some((one) => one.path.includes('w1'))).toBe(false);
});

test('a workspace that the token does not see is a wrong setting', async () => {
  await expect(
    discover(testClient(await service()), { ...ALL, workspaces: ['w1', 'w9'] }, signal),
  ).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'workspaces: the token does not see a workspace w9',
    hint: 'it sees w1 (One), w2 (Two)',
  });
});
