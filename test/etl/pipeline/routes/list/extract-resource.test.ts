import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { extractResource } from '../../../../../src/etl/pipeline/routes/list/list-route.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

async function extract(records: Record<string, unknown>[]) {
  const folder = await temporaryFolder();
  const parts = extractResource('crawls', records, folder);
  const part = await parts.next();
  if (part.done) return expect.unreachable('there is no part');
  const download = await parts.next();
  return { part: part.value, text: await readFile(part.value.path, 'utf8'), download: download.value };
}

test('records arrive as JSONL, counted and hashed', async () => {
  const { part, text, download } = await extract([{ id: 'a', n: 2n ** 60n }, { id: 'ü' }]);
  expect(text).toBe('{"id":"a","n":1152921504606846976}\n{"id":"ü"}\n');
  expect(part).toMatchObject({ format: 'json', file: 'crawls.jsonl', firstLine: 1, rows: 2, header: null });
  expect(download).toMatchObject({ rows: 2, bytes: Buffer.byteLength(text) });
});

test('an empty list has no parts, and no rows', async () => {
  const { value, done } = await extractResource('crawls', [], await temporaryFolder()).next();
  expect([done, value]).toMatchObject([true, { rows: 0, bytes: 0, header: null }]);
});

test('secrets of crawl configurations are removed, other values stay', async () => {
  const config = {
    id: 'k',
    name: 'n',
    start_url: 'https://x',
    user_agent: 'u',
    max_speed: 1,
    http_auth: { username: 'user', password: 'hidden-1' },
    extra_headers: { authorization: 'hidden-2' },
    analytics_a_params: { key: 'hidden-3' },
    analytics_b_params: { key: 'hidden-4' },
    search_console_params: { key: 'hidden-5' },
    backlinks_params: { key: 'hidden-6' },
    notifications: { custom_webhooks: [{ url: 'https://hidden-7', secret: 'hidden-8' }] },
    webhooks: ['https://hidden-9'],
    max_depth: 5,
  };
  const { text } = await extract([{ id: 'c', project_id: 'p', status: 'done', crawl_config: config }]);
  expect(text).not.toContain('hidden-');
  expect(JSON.parse(text)).toMatchObject({ id: 'c', crawl_config: { id: 'k', max_depth: 5 } });
});
