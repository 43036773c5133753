import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DownloadFiles, sendPieces } from '../../../../src/app/console/server/download-files.ts';
import { processFolderName } from '../../../../src/core/host/process-folders.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const { signal } = new AbortController();

test('a session has at most four files, independent of other sessions, and each file is removed with its download', async () => {
  const folder = await temporaryFolder();
  const files = new DownloadFiles(folder);
  const held = Promise.withResolvers<void>();
  const four = ['a', 'b', 'c', 'd'].map(() => files.use('greedy', () => held.promise));
  await expect(files.use('greedy', async () => {})).rejects.toThrow(
    'you already have 4 downloads in progress',
  );
  await files.use('other', (path) => writeFile(path, 'x'));
  held.resolve();
  await Promise.all(four);
  await files.use('greedy', async () => {});
  expect(readdirSync(join(folder, 'console'))).toEqual([]);
});

test('at start, files of a killed console are removed, files of a live console never', async () => {
  const folder = await temporaryFolder();
  const killed = execFile(process.execPath, [
    '--input-type=module',
    '-e',
    `const { DownloadFiles } = await import(${JSON.stringify(import.meta.resolve('../../../../src/app/console/server/download-files.ts'))});
     const { writeFileSync } = await import('node:fs');
     await new DownloadFiles(process.argv[1]).use('s', async (path) => {
       writeFileSync(path, 'rows');
       console.log('written');
       await new Promise((end) => setTimeout(end, 1e6));
     });`,
    folder,
  ]);
  onTestFinished(() => void killed.kill('SIGKILL'));
  await once(killed.stdout ?? killed, 'data');
  const live = processFolderName('download-');
  await mkdir(join(folder, 'console', live));
  new DownloadFiles(folder);
  expect(readdirSync(join(folder, 'console')).length).toBe(2);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  new DownloadFiles(folder);
  expect(readdirSync(join(folder, 'console'))).toEqual([live]);
});

test('a client that receives nothing is disconnected at its deadline', async () => {
  const path = join(await temporaryFolder(), 'answer');
  await writeFile(path, Buffer.alloc(30_000_000));
  const left = Promise.withResolvers<unknown>();
  const server = createServer((_request, response) => {
    sendPieces(path, response, signal, 50).then(left.resolve, left.reject);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const deaf = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void deaf.destroy());
  deaf.pause();
  deaf.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect(left.promise).rejects.toThrow(/abort/i);
});
