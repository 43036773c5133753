import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkUpload } from '../../../../src/app/console/actions/check-upload.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('a check ends at its time limit, and the next check waits for it', async () => {
  const folder = await temporaryFolder();
  const slow = { name: 'slow.zst', path: join(folder, 'slow.zst') };
  const quick = { name: 'quick.gz', path: join(folder, 'quick.gz') };
  await writeFile(slow.path, Buffer.alloc(5_000_000, zstdCompressSync('')));
  await writeFile(quick.path, gzipSync('x'));
  const { signal } = new AbortController();
  const ends: string[] = [];
  const checks = [
    checkUpload('logs', slow, signal, 300).catch(({ code, message }) => ends.push(`${code}: ${message}`)),
    checkUpload('logs', quick, signal).then(() => ends.push('quick')),
  ];
  await Promise.all(checks);
  expect(ends).toEqual(['usage: slow.zst takes too long to unpack', 'quick']);
});
