import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { projectFolder } from '../../support/project.ts';
import { faultyProxy } from './faulty-proxy.ts';
import { openServer, type StoreServer } from './store-server.ts';

const line = (path: string): string =>
  `203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "curl/8"\n`;

/** What the settings of a command say of a store. */
function nameStore({ kind, bucket, endpoint, ...more }: StoreServer): void {
  const settings = {
    BUCKET: bucket,
    ENDPOINT: endpoint,
    ...('region' in more ? { REGION: more.region } : {}),
  };
  for (const [key, value] of Object.entries(settings))
    vi.stubEnv(`CRAWLHOUSE_${kind.toUpperCase()}_${key}`, value);
}

/** Access logs are objects of a store, as `logs add` takes them by a prefix. */
export function storedLogs(name: string, server: () => StoreServer): void {
  test(`${name}: access logs below a prefix are added once, and appended lines are added later`, async () => {
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

    nameStore({ kind, bucket, endpoint, ...more } as StoreServer);
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
  });
}

/** A store that lets `logs add` down costs what it does not give, whole. */
export function storedLogFaults(name: string, server: () => StoreServer): void {
  test(`${name}: a truncated log is requested again, a replaced one refused, and later ones are still read`, async () => {
    const { kind } = server();
    await using store = await openServer(server());
    const folder = await projectFolder();
    const file = join(folder, 'object');
    for (const [key, paths] of [
      ['faulty-logs/cut.log', ['/1', '/2', '/3']],
      ['faulty-logs/replaced.log', ['/4']],
      ['faulty-logs/sound.log', ['/5', '/6']],
    ] as const) {
      await writeFile(file, paths.map(line).join(''));
      await store.put(key, file, AbortSignal.timeout(20_000));
    }
    const local = join(folder, 'local.log');
    await writeFile(local, line('/7'));
    const reads = (request: string, key: string): boolean =>
      /x-id=GetObject|alt=media/.test(request) && request.includes(key);
    const proxy = await faultyProxy(server().endpoint, (request, times) => {
      // The last of three lines is gone, as if the object had ended there.
      if (reads(request, 'cut.log') && times === 1) return { shortBy: line('/3').length };
      if (reads(request, 'replaced.log')) return { status: kind === 'store_a' ? 404 : 412 };
      return request.includes('refused') ? { status: 403 } : undefined;
    });
    nameStore({ ...server(), endpoint: proxy.endpoint });
    const words = ['logs', 'add', `${kind}:refused/`, `${kind}:faulty-logs/`, local];
    const flags = ['--site', 'https://e.example/', '--json', '--project-dir', folder];
    const { code, stdout, stderr } = await capture(...words, ...flags);
    const { files } = JSON.parse(stdout) as {
      files: { name: string; status: string; events: number; error: { code: string } | null }[];
    };
    const told = files.map((one) => [one.name.split('/').at(-1), one.status, one.events, one.error?.code]);
    expect([told, code, stderr]).toEqual([
      [
        ['', 'failed', 0, 'store_access'],
        ['cut.log', 'added', 3, undefined],
        ['replaced.log', 'failed', 0, 'object_changed'],
        ['sound.log', 'added', 2, undefined],
        ['local.log', 'added', 1, undefined],
      ],
      expect.any(Number),
      expect.stringContaining('replaced.log'),
    ]);
    expect(code).not.toBe(0);
    const asked = ['query', 'SELECT url FROM mart.log_events ORDER BY url'];
    const found = await capture(...asked, '--format', 'json', '--project-dir', folder);
    expect(JSON.parse(found.stdout)).toEqual(
      ['/1', '/2', '/3', '/5', '/6', '/7'].map((path) => ({ url: `https://e.example${path}` })),
    );
  });
}
