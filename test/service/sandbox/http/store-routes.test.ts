import { expect, test } from 'vitest';
import { sharedService } from '../../support.ts';

const it = await sharedService({});

const KEYS = Buffer.from('{"access_key": "ACCESS", "secret_key": "very-secret-key"}').toString('base64');

test('a workspace has one secret of a name, and the list shows no value', async () => {
  const path = `/workspaces/${await it.workspace()}/secrets`;
  const make = (name: string) =>
    it.api(path, { body: { secret: { name, type: 'store_b_credentials', value: KEYS } } });
  const [first, again, other] = [await make('one'), await make('one'), await make('two')];
  expect([first.status, other.status], `${first.text} ${other.text}`).toEqual([200, 200]);
  expect([again.status, again.text]).toEqual([
    expect.any(Number),
    expect.stringContaining('there is a secret one already'),
  ]);
  expect(again.status).toBeGreaterThanOrEqual(400);
  const list = await it.api(path);
  expect(list.text).not.toContain(KEYS);
  const names = () =>
    it.api(path).then(({ json }) => (json.secrets as { name: string }[]).map(({ name }) => name));
  expect(await names()).toEqual(expect.arrayContaining(['one', 'two']));
  const { id } = first.json.secret as { id: string };
  expect((await it.api(`${path}/${id}`, { method: 'DELETE' })).status).toBeLessThan(300);
  expect(await names()).not.toContain('one');
});
