import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ReceivedFile } from '../../../../src/app/console/actions/received-files.ts';
import { StagedFiles } from '../../../../src/app/console/actions/staged-files.ts';
import { readUpload, wordsOfUpload } from '../../../../src/app/console/actions/upload-action.ts';
import { actingConsole } from '../../../support/acting-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';

const LINE = '203.0.113.7 - - [20/Nov/2026:06:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "x"\n';

interface Sent {
  readonly name?: string;
  readonly kind?: string;
  readonly csrf?: string | null;
  readonly cookie?: string;
  readonly isTokenLast?: boolean;
}

async function uploading(environment?: Readonly<Record<string, string>>) {
  const acting = await actingConsole(await rawProjectFolder(), environment);
  const folder = join(acting.settings.state_dir, 'console', 'uploads');
  const staged = async (): Promise<string[]> => (existsSync(folder) ? await readdir(folder) : []);
  const upload = (
    content: string | Buffer<ArrayBuffer>,
    { name = 'access.log', kind = 'logs', csrf = acting.csrf, isTokenLast = false, ...init }: Sent = {},
  ) => {
    const body = new FormData();
    if (csrf !== null && !isTokenLast) body.append('csrf', csrf);
    body.append('kind', kind);
    body.append('site', 'https://www.example.com/');
    body.append('file', new Blob([content]), name);
    if (csrf !== null && isTokenLast) body.append('csrf', csrf);
    return acting.ask('/uploads', { ...init, method: 'POST', body });
  };
  return { ...acting, folder, staged, upload };
}

/** A zip archive with one member that its directory says to be `size` bytes long. */
function zip(name: string, content: Buffer, size: number): Buffer<ArrayBuffer> {
  const packed = deflateRawSync(content);
  const head = (bytes: number, signature: number, at: number): Buffer => {
    const record = Buffer.alloc(bytes);
    record.writeUInt32LE(signature, 0);
    record.writeUInt16LE(8, at + 4);
    record.writeUInt32LE(packed.length, at + 14);
    record.writeUInt32LE(size, at + 18);
    record.writeUInt16LE(name.length, at + 22);
    return record;
  };
  const local = Buffer.concat([head(30, 0x04034b50, 4), Buffer.from(name), packed]);
  const directory = Buffer.concat([head(46, 0x02014b50, 6), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}

test('an uploaded file is readable only by its owner, and the next page asks how to read it', async () => {
  const { ask, upload, folder, staged } = await uploading();
  const answer = await upload(LINE);
  const [id = ''] = await staged();
  const address = `/uploads/read?action=logs-add&file=${id}%2Faccess.log&site=https%3A%2F%2Fwww.example.com%2F`;
  expect([answer.status, answer.headers.get('location')]).toEqual([303, address]);
  const path = join(folder, id, 'access.log');
  expect(await readFile(path, 'utf8')).toBe(LINE);
  expect([(await stat(path)).mode & 0o777, (await stat(join(folder, id))).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  const page = await (await ask('/uploads')).text();
  expect(page).toContain('at most 1.0 GB');
  expect(page).toContain('enctype="multipart/form-data"');
  expect((await (await ask('/audit.json')).json()) as object).toMatchObject({
    entries: [{ command: 'upload logs access.log', outcome: '0', subject: 'local' }],
  });
});

test.for([
  ['../../x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['C:\\logs\\access.log', 'access.log'],
  ['..', 'upload'],
  ['.env', 'env'],
  ['--json', 'json'],
  ['a b<c>\u0000.log', 'a_b_c__.log'],
  [`${'x'.repeat(300)}.log.gz`, `${'x'.repeat(93)}.log.gz`],
] as const)('a file named %j is stored as %s in its own folder', async ([given, name]) => {
  const state = await temporaryFolder();
  const files = new StagedFiles(state, () => false);
  const file = await files.receive(given, Readable.from(['x']), new AbortController().signal);
  expect(file).toMatch(/^[0-9a-f]{32}\//);
  expect(file.slice(33)).toBe(name);
  expect(await readdir(join(state, 'console', 'uploads'))).toEqual([file.slice(0, 32)]);
});

test('a path in a file name writes no file elsewhere', async () => {
  const { upload, staged, folder } = await uploading();
  expect((await upload(LINE, { name: '../../x' })).status).toBe(303);
  const [id = ''] = await staged();
  expect(await readdir(join(folder, id))).toEqual(['x']);
});

test.for([
  ['logs', 'bomb.log.gz', gzipSync(Buffer.alloc(60_000_000)), 'expands to more than 250 times its size'],
  ['demand', 'bomb.zip', zip('Queries.csv', Buffer.alloc(1000), 4_000_000_000), 'is larger than 64 MiB'],
  ['demand', 'liar.zip', zip('../../x.csv', Buffer.alloc(10), 10), 'names the path'],
  ['logs', 'logs.zip', zip('access.log', Buffer.from(LINE), LINE.length), 'compressed with zip'],
  ['logs', 'cut.log.gz', gzipSync(LINE.repeat(100)).subarray(0, 40), 'cut or damaged'],
] as const)('%s: %s is refused and removed', async ([kind, name, content, message]) => {
  const { upload, staged } = await uploading();
  const answer = await upload(Buffer.from(content), { kind, name });
  expect([answer.status >= 400, await answer.text()]).toEqual([true, expect.stringContaining(message)]);
  expect(await staged()).toEqual([]);
});

test('several files are taken one after the other, each with its own result and entry in the audit', async () => {
  const { ask, csrf, staged, folder } = await uploading();
  const body = new FormData();
  for (const [name, value] of [
    ['csrf', csrf],
    ['kind', 'logs'],
    ['site', ''],
  ] as const)
    body.append(name, value);
  const cut = gzipSync(LINE.repeat(100)).subarray(0, 40);
  for (const [name, content] of [
    ['one.log', LINE],
    ['cut.log.gz', cut],
    ['two.log', LINE.repeat(2)],
  ] as const)
    body.append('file', new Blob([content]), name);
  const answer = await ask('/uploads', { method: 'POST', body });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/uploads']);
  const read = async () =>
    ((await (await ask('/uploads.json')).json()) as { received: ReceivedFile[] }).received;
  const received = await read();
  expect(received).toMatchObject([
    { name: 'one.log', problem: null },
    { name: 'cut.log.gz', address: null, problem: expect.stringContaining('cut or damaged') },
    { name: 'two.log', problem: null },
  ]);
  const stored = received.flatMap(({ address }) =>
    address === null ? [] : [new URL(address, 'http://x').searchParams.get('file') ?? ''],
  );
  expect((await staged()).sort()).toEqual(stored.map((file) => file.slice(0, 32)).sort());
  expect(await readFile(join(folder, stored[1] ?? ''), 'utf8')).toBe(LINE.repeat(2));
  const page = await (await ask('/uploads')).text();
  expect(page).toContain('aria-label="Read and add two.log"');
  expect(page).toMatch(/type="file" name="file" multiple/);
  const { entries } = (await (await ask('/audit.json')).json()) as {
    entries: { command: string; outcome: string }[];
  };
  expect(entries.map(({ command, outcome }) => [command, outcome === '0'])).toEqual([
    ['upload logs two.log', true],
    ['upload logs cut.log.gz', false],
    ['upload logs one.log', true],
  ]);
  // A file that was added or removed waits no more.
  await rm(join(folder, stored[0]?.slice(0, 32) ?? ''), { recursive: true });
  expect((await read()).map(({ name }) => name)).toEqual(['cut.log.gz', 'two.log']);
});

test('of more files than a form may have, the others are not stored, and the person sees that', async () => {
  const { ask, csrf, staged } = await uploading();
  const body = new FormData();
  body.append('csrf', csrf);
  for (let n = 0; n < 22; n++) body.append('file', new Blob([LINE]), `${n}.log`);
  expect((await ask('/uploads', { method: 'POST', body })).headers.get('location')).toBe('/uploads');
  expect((await staged()).length).toBe(20);
  expect(await (await ask('/uploads')).text()).toContain('only the first 20 files were received');
});

test('an upload without its token, or with the token after the file, stores nothing', async () => {
  const { upload, staged, ask } = await uploading();
  for (const sent of [{ csrf: null }, { csrf: 'x' }, { isTokenLast: true }])
    expect((await upload(LINE, sent)).status).toBe(403);
  expect(await staged()).toEqual([]);
  expect((await (await ask('/audit.json')).json()) as object).toMatchObject({ entries: [] });
});

test('analysts, strangers and read-only consoles store nothing', async () => {
  const { upload, staged, person, ask } = await uploading();
  const { cookie, csrf } = person('analyst');
  expect((await upload(LINE, { cookie, csrf })).status).toBe(403);
  expect((await upload(LINE, { cookie: '' })).status).toBe(401);
  expect((await ask('/uploads', { cookie })).status).toBe(403);
  const start = { method: 'POST', body: new URLSearchParams({ csrf, action: 'logs-add' }) };
  expect((await ask('/uploads/add', { ...start, cookie })).status).toBe(403);
  expect(await staged()).toEqual([]);
  const off = await uploading({ CRAWLHOUSE_CONSOLE_ACTIONS: 'false' });
  expect((await off.upload(LINE)).status).toBe(403);
  expect(await off.staged()).toEqual([]);
});

test('nothing remains of an upload that is cut off', async () => {
  const { url, csrf, cookie, staged, ask } = await uploading();
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${field('csrf', csrf)}${field('kind', 'logs')}--b\r\nContent-Disposition: form-data; name="file"; filename="access.log"\r\n\r\n`;
  const sending = request(`${url}/uploads`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1_000_000 },
  });
  sending.on('error', () => {});
  sending.write(head + LINE.repeat(1000));
  await until(async () => ((await staged()).length > 0 ? true : undefined));
  sending.destroy();
  await until(async () => ((await staged()).length === 0 ? true : undefined));
  await until(async () => {
    const { entries } = (await (await ask('/audit.json')).json()) as {
      entries: { message: string | null }[];
    };
    return entries[0]?.message === 'the upload was cut off' ? true : undefined;
  });
});

test('a check ends when the client disconnects, and nothing remains of the file', async () => {
  const { url, csrf, cookie, folder, staged } = await uploading();
  const content = Buffer.alloc(5_000_000, zstdCompressSync(''));
  const body = new FormData();
  body.append('csrf', csrf);
  body.append('file', new Blob([content]), 'slow.zst');
  const leaving = new AbortController();
  const sent = fetch(`${url}/uploads`, { method: 'POST', headers: { cookie }, body, signal: leaving.signal });
  sent.catch(() => {});
  await until(async () => {
    const [id] = await staged();
    const found = id === undefined ? null : await stat(join(folder, id, 'slow.zst')).catch(() => null);
    return found?.size === content.length ? true : undefined;
  });
  leaving.abort();
  await until(async () => ((await staged()).length === 0 ? true : undefined), 10_000);
});

test('a file that is too large, and a form without a file, are refused', async () => {
  const { url, csrf, cookie, staged, upload } = await uploading();
  const status = await new Promise<number | undefined>((resolve) => {
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 2e9 };
    const sending = request(`${url}/uploads`, { method: 'POST', headers }, (answer) => {
      resolve(answer.statusCode);
      sending.destroy();
    });
    sending.on('error', () => {});
    sending.write(`--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n`);
  });
  expect(status).toBe(413);
  expect((await upload('', { name: '' })).status).toBe(400);
  expect(await staged()).toEqual([]);
});

test('at start, a console removes files older than a day, and keeps others', async () => {
  const folder = await rawProjectFolder();
  const uploads = join(folder, '.crawlhouse', 'console', 'uploads');
  const [old, young] = ['0'.repeat(32), '1'.repeat(32)];
  for (const id of [old, young]) {
    await mkdir(join(uploads, id), { recursive: true });
    await writeFile(join(uploads, id, 'access.log'), LINE);
  }
  const yesterday = new Date(Date.now() - 90_000_000);
  await utimes(join(uploads, old), yesterday, yesterday);
  await actingConsole(folder);
  expect(await readdir(uploads)).toEqual([young]);
});

test('an upload removes files older than a day, except files in use', async () => {
  const state = await temporaryFolder();
  const [old, used] = ['0'.repeat(32), '1'.repeat(32)];
  const files = new StagedFiles(state, (id) => id === used);
  const uploads = join(state, 'console', 'uploads');
  const yesterday = new Date(Date.now() - 90_000_000);
  for (const id of [old, used]) {
    await mkdir(join(uploads, id), { recursive: true });
    await utimes(join(uploads, id), yesterday, yesterday);
  }
  const file = await files.receive('x', Readable.from(['x']), new AbortController().signal);
  expect((await readdir(uploads)).sort()).toEqual([used, file.slice(0, 32)].sort());
});

test('the upload limits count concurrent uploads and bytes still to arrive', async () => {
  const state = await temporaryFolder();
  const files = new StagedFiles(state, () => false);
  const leaving = new AbortController();
  const receive = () => files.receive('x', new Readable({ read() {} }), leaving.signal);
  const all = [receive(), receive(), receive()];
  const ends = Promise.allSettled(all);
  await expect(all[2]).rejects.toMatchObject({ code: 'locked' });
  leaving.abort();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await readdir(join(state, 'console', 'uploads'))).toEqual([]);
  await mkdir(join(state, 'console', 'uploads', 'a'));
  const waiting = join(state, 'console', 'uploads', 'a', 'x');
  await writeFile(waiting, '');
  await truncate(waiting, 3_100_000_000);
  await expect(files.receive('x', Readable.from(['x']), AbortSignal.any([]))).rejects.toMatchObject({
    code: 'locked',
  });
});

test('no field of an upload becomes a flag or another path', () => {
  const file = `${'a'.repeat(32)}/access.log`;
  const fields = { action: 'logs-add', file, site: '--project-dir=/', format: '--again', time_zone: '' };
  expect(wordsOfUpload(readUpload(new URLSearchParams(fields)), '/staged')).toEqual([
    'logs',
    'add',
    '--project=--project-dir=/',
    '--format=--again',
    '--',
    '/staged',
  ]);
  const back = { action: 'demand-remove', file, site: 'https://www.example.com/' };
  expect(wordsOfUpload(readUpload(new URLSearchParams(back)), '/staged')).toEqual([
    'demand',
    'remove',
    '--project=www.example.com',
    '--',
    '/staged',
  ]);
  for (const bad of ['../../x', `${'a'.repeat(32)}/../x`, '/etc/passwd', `${'a'.repeat(32)}/.env`, ''])
    expect(() => readUpload(new URLSearchParams({ ...back, file: bad }))).toThrow('upload a file first');
  expect(() => readUpload(new URLSearchParams({ action: 'drop', file, site: '' }))).toThrow();
});
