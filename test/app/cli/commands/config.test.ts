import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { capture, projectFolder } from '../capture.ts';

test('config shows the source of each setting, and masks secrets', async () => {
  const folder = await projectFolder(
    'base_url: http://127.0.0.1:9\nthreads: 3\nstore_b:\n  bucket: shop\n  region: eu-west-1\nconcurrency: 5',
  );
  await writeFile(
    join(folder, '.env'),
    'CRAWLHOUSE_ACCESS_TOKEN=token-of-config-test\nCRAWLHOUSE_THREADS=7\nCRAWLHOUSE_CONCURRENCY=6\n',
  );
  vi.stubEnv('CRAWLHOUSE_THREADS', '2');
  vi.stubEnv('CRAWLHOUSE_CONCURRENCY', '');
  vi.stubEnv('CRAWLHOUSE_KEEP_RAW_DAYS', '7');
  const { code, stdout } = await capture('config', '--project-dir', folder);
  expect(code).toBe(0);
  const lines = new Map(
    stdout.split('\n').map((line) => [line.split(' ')[0], line.replace(/ {2,}/g, ' | ')]),
  );
  expect(lines.get('base_url')).toBe('base_url | http://127.0.0.1:9 | crawlhouse.yaml:1');
  expect(lines.get('access_token')).toBe('access_token | [redacted] | .env: CRAWLHOUSE_ACCESS_TOKEN');
  expect(lines.get('threads')).toBe('threads | 2 | CRAWLHOUSE_THREADS');
  // An empty variable hides that of .env, and counts as not set.
  expect(lines.get('concurrency')).toBe('concurrency | 5 | crawlhouse.yaml:6');
  expect(lines.get('store_b.region')).toBe('store_b.region | eu-west-1 | crawlhouse.yaml:5');
  expect(lines.get('keep_raw')).toBe('keep_raw | {"days":7} | CRAWLHOUSE_KEEP_RAW_DAYS');
  expect(lines.get('warehouse')).toBe(`warehouse | ${join(folder, 'warehouse.duckdb')} | default`);
  expect(lines.get('oauth.client_id')).toBe('oauth.client_id | - | -');
});

test('config --json prints the same settings as one document', async () => {
  const folder = await projectFolder('access_token: token-of-config-test');
  const { stdout } = await capture('config', '--json', '--project-dir', folder);
  const { settings } = JSON.parse(stdout);
  expect(settings).toContainEqual({
    key: 'access_token',
    value: '[redacted]',
    from: 'crawlhouse.yaml',
    place: 'crawlhouse.yaml:1',
  });
  expect(settings).toContainEqual({ key: 'base_url', value: null, from: null, place: null });
  expect(settings).toContainEqual({ key: 'memory_limit', value: '400MB', from: 'default', place: null });
});

test('config reports an invalid setting like every command', async () => {
  const { code, stderr } = await capture('config', '--project-dir', await projectFolder('thread: 3'));
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('crawlhouse.yaml:1: unknown key thread\nTry: did you mean threads?'),
  ]);
});
