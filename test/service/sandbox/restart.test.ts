import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { field, importFolder, Service } from '../support.ts';

test('a restarted sandbox has all resources, and repeats no event', async () => {
  const stateDir = await temporaryFolder();
  const dir = await importFolder('kept-2025-05-01', {
    pages: { fields: [field('url', 'string')], rows: [{ url: 'https://kept.example/' }] },
  });
  const options = { stateDir, importDirs: [dir], generate: ['pages=200,links=100'] };
  const look = async (service: Service): Promise<unknown[]> => {
    const crawls = await service.crawls();
    const exports = crawls.map(
      async (crawl) => (await service.export(String(crawl.id), 'pages', 'json')).text,
    );
    return [crawls, await Promise.all(exports), service.sandbox.accessToken];
  };
  const before = await (async () => {
    await using sandbox = await startSandbox(options);
    const service = new Service(sandbox);
    const kept = (await service.crawls()).at(-1);
    await service.ask(`/_sandbox/crawls/${kept?.id}`, { method: 'PATCH', body: { last_depth: 99 } });
    return await look(service);
  })();
  for (const again of [options, { stateDir }]) {
    await using sandbox = await startSandbox(again);
    expect(await look(new Service(sandbox))).toEqual(before);
  }
});

test('a state directory of an earlier version keeps the name of its SQLite file', async () => {
  const stateDir = await temporaryFolder();
  const token = await (async () => {
    await using first = await startSandbox({ stateDir });
    return first.accessToken;
  })();
  await rename(join(stateDir, 'service.sqlite'), join(stateDir, 'sandbox.sqlite'));
  await using second = await startSandbox({ stateDir });
  expect(second.accessToken).toBe(token);
  expect(await readdir(stateDir)).not.toContain('service.sqlite');
});

test('a state directory is used by one sandbox at a time', async () => {
  const stateDir = await temporaryFolder();
  await using _first = await startSandbox({ stateDir });
  await expect(startSandbox({ stateDir })).rejects.toMatchObject({ code: 'locked' });
});

test('a signal closes the sandbox, and closing it twice is no error', async () => {
  const controller = new AbortController();
  const sandbox = await startSandbox({ signal: controller.signal });
  controller.abort();
  await sandbox.close();
  await sandbox.close();
  await expect(new Service(sandbox).api('/workspaces')).rejects.toThrow();
});
