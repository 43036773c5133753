import { expect, test } from 'vitest';
import { type Json, sharedService } from '../support.ts';

const it = await sharedService({ generate: ['crawls=1,pages=3'] });
const json = { 'content-type': 'application/json' };

async function crawlId(): Promise<string> {
  const answer = await it.api(`/workspaces/${await it.workspace()}/crawls`);
  const [crawl] = answer.json.crawls as Json[];
  return String(crawl?.id);
}

test('a request that declares JSON and sends nothing has no body', async () => {
  const search = await it.api(`/data/crawl/${await crawlId()}/pages`, { method: 'POST', headers: json });
  expect(search.status).toBe(200);
  const deletion = await it.api('/crawls/none', { method: 'DELETE', headers: json });
  expect(deletion.json.type).toBe('resource_not_found');
});

test('a deeply nested body gets a clear error', async () => {
  const depth = 50_000;
  const raw = `{"oql":${'{"and":['.repeat(depth)}${']}'.repeat(depth)}}`;
  const answer = await it.api(`/data/crawl/${await crawlId()}/pages`, { raw });
  expect(answer.status).toBe(400);
  expect(answer.json).toEqual({
    type: 'invalid_request',
    message: 'the body is not JSON that can be read: it is nested too deeply',
  });
});
