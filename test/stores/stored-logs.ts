import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { capture } from '../people/cli/capture.ts';
import { projectFolder } from '../support/project.ts';
import { openServer, type StoreServer } from './store-server.ts';

const line = (path: string): string =>
  `203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "curl/8"\n`;

/** Access logs are objects of a store, as `logs add` takes them by a prefix. */
export function storedLogs(name: string, server: () => StoreServer): void {
  test(`${name}: access logs below a prefix are added once, and what an object has more is added later`, async () => {
    const { kind, bucket, endpoint, ...more } = server();
    await using store = await openServer(server());
    const folder = await projectFolder();
    const put = async (key: string, content: string | Buffer): Promise<void> => {
      const file = join(folder, 'object');
      await writeFile(file, content);
      await store.put(key, file, AbortSignal.timeout(20_000));
    };
    await put('web-logs/2026/a.log.gz', gzipSync(line('/1') + line('/2')));
    await put('web-logs/b.log', line('/3'));
    await put('web-logs/empty.log', '');
    await put('web-logs-of-others/c.log', line('/4'));

    const settings = {
      BUCKET: bucket,
      ENDPOINT: endpoint,
      ...('region' in more ? { REGION: more.region } : {}),
    };
    for (const [key, value] of Object.entries(settings))
      vi.stubEnv(`CRAWLHOUSE_${kind.toUpperCase()}_${key}`, value);
    const add = async () => {
      const words = ['logs', 'add', `${kind}:web-logs/`, '--site', 'https://e.example/', '--json'];
      const { code, stdout, stderr } = await capture(...words, '--project-dir', folder);
      expect([code, stderr]).toEqual([0, '']);
      const { files } = JSON.parse(stdout) as { files: { name: string; status: string; events: number }[] };
      return files.map((file) => [file.name.slice(file.name.indexOf('web-logs')), file.status, file.events]);
    };
    expect(await add()).toEqual([
      ['web-logs/2026/a.log.gz', 'added', 2],
      ['web-logs/b.log', 'added', 1],
    ]);
    await put('web-logs/b.log', line('/3') + line('/5'));
    expect(await add()).toEqual([
      ['web-logs/2026/a.log.gz', 'known', 0],
      ['web-logs/b.log', 'added', 1],
    ]);
    const asked = ['query', 'SELECT count(*) AS n, count(DISTINCT url) AS urls FROM mart.log_events'];
    const { stdout } = await capture(...asked, '--format', 'json', '--project-dir', folder);
    expect(JSON.parse(stdout)).toEqual([{ n: 4, urls: 4 }]);
  }, 120_000);
}
