import { expect, test } from 'vitest';
import { sharedService } from '../../support.ts';

const it = await sharedService({});

test('the sandbox describes itself at its address, as a page and as OpenAPI, without a token', async () => {
  const document = await it.ask('/openapi.json', { token: null });
  expect(document.status).toBe(200);
  expect(JSON.parse(document.text)).toMatchObject({
    openapi: expect.stringMatching(/^3\./),
    servers: [{ url: expect.stringContaining(new URL(it.sandbox.baseUrl).host) }],
  });
  const page = await it.ask('/', { token: null });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('/workspaces');
});
