import { expect, test } from 'vitest';
import type { Listed } from '../../../../../src/etl/project/model/inventory.ts';
import {
  type RecordedList,
  readKnownLists,
  recordListLoaded,
  recordLists,
} from '../../../../../src/etl/state/catalog/ops/ops-lists.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { openWorking } from '../../../engines/open-working.ts';

const listed = (id: string, status: string): Listed => ({
  id,
  project_id: 'p',
  status,
  end_reason: null,
  link_status: null,
  content: null,
  created_at: 1000,
  ended_at: null,
  has_requests: null,
});

test('a list is known as it was last read: its changes, its gone ids, and its last full resync', async () => {
  const { connection } = await openWorking(await temporaryFolder());
  const read = (more: Partial<RecordedList>) =>
    recordLists(connection, [
      { list: 'crawls', workspaceId: 'w', changed: [], gone: [], total: 2, sweptAt: null, ...more },
    ]);
  const known = async (workspace = 'w') => {
    const { swept_at, items } = (await readKnownLists(connection)).of('crawls', workspace);
    const states = [...items.values()].map(
      ({ id, status, pending, gone }) => `${id} ${status}${pending ? ' pending' : ''}${gone ? ' gone' : ''}`,
    );
    return [swept_at, states.sort()];
  };
  await read({});
  expect(await known()).toEqual([null, []]);
  await read({ changed: [listed('c1', 'running'), listed('c2', 'done')] });
  expect(await known()).toEqual([null, ['c1 running pending', 'c2 done pending']]);
  await recordListLoaded(connection, 'crawls', 'other');
  expect((await known())[1]).toEqual(['c1 running pending', 'c2 done pending']);
  await recordListLoaded(connection, 'crawls', 'w');
  await read({ sweptAt: 5000 });
  expect(await known()).toEqual([5000, ['c1 running', 'c2 done']]);
  await read({ changed: [listed('c1', 'done')], gone: ['c2'] });
  expect(await known()).toEqual([5000, ['c1 done pending', 'c2 done pending gone']]);
  await recordListLoaded(connection, 'crawls', 'w');
  expect([await known(), await known('other')]).toEqual([
    [5000, ['c1 done']],
    [null, []],
  ]);
});

test('a warehouse of an earlier version has no known lists, or none of their requests', async () => {
  const { connection } = await openWorking(await temporaryFolder());
  await recordLists(connection, [
    {
      list: 'crawls',
      workspaceId: 'w',
      changed: [{ ...listed('c1', 'done'), has_requests: true }],
      gone: [],
      total: 1,
      sweptAt: 1,
    },
  ]);
  const hasRequests = async () =>
    (await readKnownLists(connection)).of('crawls', 'w').items.get('c1')?.has_requests;
  expect(await hasRequests()).toBe(true);
  await connection.run('ALTER TABLE ops.listed DROP COLUMN has_requests');
  expect(await hasRequests()).toBeNull();
  await connection.run('DROP TABLE ops.listed');
  expect(await hasRequests()).toBeUndefined();
});
