import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { type Json, lines, parseCsv, Service, sharedService } from '../support.ts';

const it = await sharedService({ generate: ['pages=3000,columns=30'] });
const crawl = await it.crawlId();
const gzip = { headers: { 'accept-encoding': 'gzip' } };

async function once(fault: Json): Promise<void> {
  const answer = await it.fault({ match: { path: 'export=true' }, times: 1, ...fault });
  expect(answer.status).toBe(200);
}

async function lastRequest(): Promise<Json> {
  const all = JSON.parse((await it.ask('/_sandbox/requests')).text) as Json[];
  return all.at(-1) ?? {};
}

test('status returns the error object, with Retry-After, the requested number of times', async () => {
  await it.fault({
    match: { method: 'GET', path: '/workspaces\\?limit=1$' },
    kind: 'status',
    status: 429,
    retry_after: 7,
    times: 2,
  });
  const seen: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const answer = await it.api('/workspaces?limit=1');
    seen.push(answer.status);
    if (answer.status === 429) {
      expect(answer.headers['retry-after']).toBe('7');
      expect(answer.json).toHaveProperty('type');
    }
  }
  expect(seen).toEqual([429, 429, 200]);
});

test('status defaults to 503, and lasts until it is deleted', async () => {
  await it.fault({ match: { path: '/workspaces' }, kind: 'status' });
  for (let tries = 0; tries < 3; tries++) expect((await it.api('/workspaces')).status).toBe(503);
  expect((await it.api(`/crawls/${crawl}`)).status).toBe(200);
  expect((await it.ask('/_sandbox/faults', { method: 'DELETE' })).status).toBe(204);
  expect((await it.api('/workspaces')).status).toBe(200);
});

test('truncate ends the body after the given bytes, of the gzip stream if compressed', async () => {
  const whole = await it.export(crawl, 'pages', 'json');
  await once({ kind: 'truncate', after_bytes: 5000 });
  const cut = await it.export(crawl, 'pages', 'json');
  expect(cut.status).toBe(200);
  expect(cut.bytes.equals(whole.bytes.subarray(0, 5000))).toBe(true);
  await once({ kind: 'truncate', after_bytes: 5000 });
  const zipped = await it.export(crawl, 'pages', 'json', gzip);
  expect(zipped.bytes).toHaveLength(5000);
  expect(() => gunzipSync(zipped.bytes)).toThrow();
  expect(await lastRequest()).toMatchObject({ status: 200, bytes: 5000 });
});

test('truncate works on any response', async () => {
  await it.fault({ match: { path: '/workspaces$' }, kind: 'truncate', after_bytes: 10, times: 1 });
  expect((await it.api('/workspaces')).text).toBe('{"meta":{"');
});

test('reset breaks the connection after the given bytes, or before the headers', async () => {
  await once({ kind: 'reset', after_bytes: 20_000 });
  const ask = () =>
    request(`${it.sandbox.baseUrl}/api/v2/data/crawl/${crawl}/pages?export=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${it.sandbox.accessToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
  const begun = await ask();
  expect(begun.statusCode).toBe(200);
  let bytes = 0;
  await expect(
    (async () => {
      for await (const piece of begun.body) bytes += (piece as Buffer).length;
    })(),
  ).rejects.toThrow();
  expect(bytes).toBe(20_000);
  await once({ kind: 'reset' });
  await expect(ask()).rejects.toThrow();
  expect(await lastRequest()).toMatchObject({ status: 0, bytes: 0 });
});

test('stall sends the given bytes and then nothing, and does not block closing the sandbox', async () => {
  const sandbox = await startSandbox({ generate: ['pages=500'] });
  const other = new Service(sandbox);
  const id = await other.crawlId();
  await other.fault({ match: {}, kind: 'stall', after_bytes: 1000 });
  const answer = await request(`${sandbox.baseUrl}/api/v2/data/crawl/${id}/pages?export=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.accessToken}`, 'content-type': 'application/json' },
    body: '{}',
  });
  let bytes = 0;
  answer.body.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  const failed = new Promise((resolve) => answer.body.once('error', resolve));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(bytes).toBe(1000);
  await sandbox.close();
  expect(await failed).toBeInstanceOf(Error);
});

test('slow sends the whole body in the given time', async () => {
  const whole = await it.export(crawl, 'pages', 'csv', { ...gzip, body: { limit: 500 } });
  await once({ kind: 'slow', bytes_per_second: whole.bytes.length * 2 });
  const start = performance.now();
  const slow = await it.export(crawl, 'pages', 'csv', { ...gzip, body: { limit: 500 } });
  expect(performance.now() - start).toBeGreaterThan(350);
  expect(slow.bytes.equals(whole.bytes)).toBe(true);
});

test('corrupt_gzip breaks a gzip body detectably by its checksum, and leaves plain bodies unchanged', async () => {
  const whole = await it.export(crawl, 'pages', 'json');
  await once({ kind: 'corrupt_gzip' });
  const broken = await it.export(crawl, 'pages', 'json', gzip);
  expect(broken.status).toBe(200);
  expect(() => gunzipSync(broken.bytes)).toThrow();
  await once({ kind: 'corrupt_gzip' });
  expect((await it.export(crawl, 'pages', 'json')).bytes.equals(whole.bytes)).toBe(true);
});

test('duplicate sends one data line twice', async () => {
  for (const fileType of ['csv', 'json'] as const) {
    const whole = lines((await it.export(crawl, 'pages', fileType)).text);
    await once({ kind: 'duplicate' });
    const more = lines((await it.export(crawl, 'pages', fileType)).text);
    expect(more).toHaveLength(whole.length + 1);
    expect(new Set(more)).toEqual(new Set(whole));
  }
});

test('reorder sends the same data with other row and column orders', async () => {
  const asRows = (csv: (string | null)[][]): string[] => {
    const [header = [], ...rows] = csv;
    return rows
      .map((row) =>
        JSON.stringify(Object.fromEntries(header.map((name, index) => [name, row[index]]).sort())),
      )
      .sort();
  };
  const whole = parseCsv((await it.export(crawl, 'pages', 'csv')).text);
  await once({ kind: 'reorder' });
  const other = parseCsv((await it.export(crawl, 'pages', 'csv')).text);
  expect(other[0]).not.toEqual(whole[0]);
  expect(asRows(other)).toEqual(asRows(whole));
  const json = lines((await it.export(crawl, 'pages', 'json')).text);
  await once({ kind: 'reorder' });
  const otherJson = lines((await it.export(crawl, 'pages', 'json')).text);
  expect(otherJson[0]).not.toBe(json[0]);
  const sorted = (line: string): string => JSON.stringify(Object.entries(JSON.parse(line) as Json).sort());
  expect(otherJson.map(sorted).sort()).toEqual(json.map(sorted).sort());
});

test.each<[string, unknown, string]>([
  ['an invalid kind', [{ match: {}, kind: 'explode' }], '[0].kind'],
  ['an unknown key', [{ match: { host: 'x' }, kind: 'reset' }], '[0].match.host'],
  ['a broken regular expression', [{ match: { path: '(' }, kind: 'reset' }], '[0].match.path'],
  ['no array', { kind: 'reset' }, 'body'],
])('%s is refused', async (_name, body, place) => {
  const answer = await it.ask('/_sandbox/faults', { body });
  expect(answer.status).toBe(400);
  expect((answer.json.fields as Json[])[0]?.name).toBe(place);
});

test('faults affect only the API, and can come from a file', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'faults.json');
  writeFileSync(file, JSON.stringify([{ match: {}, kind: 'status', status: 500 }]));
  await using sandbox = await startSandbox({ faultsFile: file });
  const other = new Service(sandbox);
  expect((await other.api('/workspaces')).status).toBe(500);
  expect((await other.ask('/_sandbox/requests')).status).toBe(200);
  writeFileSync(file, '[{"kind":"nope"}]');
  await expect(startSandbox({ faultsFile: file })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('faults.json'),
  });
});
