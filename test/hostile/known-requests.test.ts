import { expect, onTestFinished, test } from 'vitest';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { projectWithWarehouse } from '../app/console/project-with-warehouse.ts';
import { statusOf } from '../support/odd-requests.ts';
import { openConsole } from '../support/open-console.ts';
import { temporaryFolder } from '../support/temporary.ts';

test('a sign-in without a body is refused', async () => {
  const { ask } = await openConsole(await projectWithWarehouse(await temporaryFolder()));
  expect((await ask('/sign-in', { method: 'POST', cookie: '' })).status).toBe(401);
});

test('a parameter with an inherited name is asked for like any other', async () => {
  const { ask } = await openConsole(await projectWithWarehouse(await temporaryFolder()));
  const answers = [];
  for (const name of ['__proto__', 'constructor', 'nosuchname']) {
    const asked = new URLSearchParams({ run: '1', sql: `SELECT $${name} AS x`, [`param.${name}`]: '7' });
    const answer = await ask(`/ask.json?${asked}`);
    const { rows, error } = (await answer.json()) as Record<string, unknown>;
    answers.push([answer.status, rows, error]);
  }
  expect(answers).toEqual(answers.map(() => [200, [['7']], null]));
});

test.each([
  ['without a boundary', ''],
  ['with one of 5,000 characters', `; boundary=${'a'.repeat(5000)}`],
])('a form %s is a client error', async (_which, boundary) => {
  const sandbox = await startSandbox({ generate: ['crawls=1,pages=2,links=1,columns=2,seed=3'] });
  onTestFinished(() => sandbox.close());
  const { origin } = new URL(sandbox.baseUrl);
  await using client = new ServiceClient({ baseUrl: sandbox.baseUrl, accessToken: sandbox.accessToken });
  const [workspace] = await Array.fromAsync(client.list('workspaces', {}));
  const [project] = await Array.fromAsync(client.list('projects', { workspace_id: String(workspace?.id) }));
  const body = `--${'a'.repeat(5000)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n`;
  const status = await statusOf(origin, {
    method: 'POST',
    path: `/api/v2/projects/${project?.id}/ingest_files`,
    headers: [
      ['Host', new URL(origin).host],
      ['Authorization', `Bearer ${sandbox.accessToken}`],
      ['Content-Type', `multipart/form-data${boundary}`],
      ['Content-Length', String(body.length)],
      ['Connection', 'close'],
    ],
    body,
  });
  expect(status).toBe(400);
});
