import { once } from 'node:events';
import { expect, test } from 'vitest';
import { capture, projectFolder, spawned } from '../capture.ts';

test('service start serves the crawls of a project, without sandbox routes, until it is stopped', async () => {
  const folder = await projectFolder();
  const options = ['service', 'start', '--json', '--project-dir', folder];
  const ready = Promise.withResolvers<{ base_url: string; access_token: string }>();
  const running = Promise.withResolvers<{ kill(signal: 'SIGTERM'): void }>();
  const ended = spawned(options, (child) => {
    running.resolve(child);
    if (child.stdout)
      void once(child.stdout, 'data').then(([text]) => ready.resolve(JSON.parse(String(text))));
  });
  const { base_url, access_token, ...more } = await ready.promise;
  expect(more).toEqual({ pid: expect.any(Number) });
  const ask = async (path: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${access_token}` };
    const answer = await fetch(base_url + path, { method, headers });
    return [answer.status, (await answer.json()) as Record<string, never>] as const;
  };

  const [status, { workspaces }] = await ask('/api/v2/workspaces');
  expect([status, workspaces]).toEqual([200, [expect.objectContaining({ name: 'Local service' })]]);
  const [{ id } = { id: '' }] = workspaces as unknown as readonly { id: string }[];
  expect(await ask(`/api/v2/workspaces/${id}/secrets`)).toEqual([
    403,
    expect.objectContaining({ code: 'missing_feature', message: 'the local service has no object stores' }),
  ]);
  for (const path of ['/_sandbox/requests', '/oauth/authorize', '/']) expect((await ask(path))[0]).toBe(404);

  const second = await capture(...options.filter((one) => one !== '--json'));
  expect([second.code, second.stderr]).toEqual([
    6,
    expect.stringMatching(/is in use by the local service \(process \d+/),
  ]);
  (await running.promise).kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
