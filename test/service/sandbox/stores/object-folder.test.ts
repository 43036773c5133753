import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ObjectFolder } from '../../../../src/service/sandbox/stores/object-folder.ts';

function scene() {
  const dir = mkdtempSync(join(tmpdir(), 'crawlhouse-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const open = (): ObjectFolder => {
    const folder = new ObjectFolder(dir);
    folder.ensureBucket('b');
    return folder;
  };
  return { dir, open, files: (of = 'objects') => readdirSync(join(dir, of)).length };
}

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const OBJECT = { bucket: 'b', key: 'k', headers: {}, checksums: {} };

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

test('an object has the bytes, the size and the MD5 that were received, and replaces one of its key', async () => {
  const { open, files } = scene();
  using folder = open();
  const first = await folder.put(await folder.receive(bytes('ab', 'c'), ['md5']), OBJECT);
  expect(first).toMatchObject({ size: 3, etag: '900150983cd24fb0d6963f7d28e17f72', ...OBJECT });
  expect(await text(await folder.read(first, undefined))).toBe('abc');
  expect(await text(await folder.read(first, { first: 1, last: 1 }))).toBe('b');
  const second = await folder.put(await folder.receive(bytes('d'), ['md5']), { ...OBJECT, etag: 'own' });
  expect([second.etag, folder.index.object('b', 'k')?.file === second.file, files()]).toEqual([
    'own',
    true,
    1,
  ]);
  expect(BigInt(second.generation) > BigInt(first.generation)).toBe(true);
  await folder.delete(second);
  expect([folder.index.object('b', 'k'), files()]).toEqual([undefined, 0]);
});

test('a body that breaks leaves nothing, and dropped bytes are removed', async () => {
  const { open, files } = scene();
  using folder = open();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw new Error('cut');
  }
  await expect(folder.receive(broken(), ['md5'])).rejects.toThrow('cut');
  expect([files(), files('incoming')]).toEqual([0, 0]);
  const received = await folder.receive(bytes('a'), ['md5']);
  expect([files(), files('incoming')]).toEqual([1, 0]);
  await folder.drop(received);
  expect(files()).toBe(0);
});

test('an upload in parts keeps the last bytes of each number, in their order, and ends without them', async () => {
  const { open, files } = scene();
  using folder = open();
  const { id } = folder.beginUpload({ bucket: 'b', key: 'k', headers: {} });
  const part = async (number: number, content: string) =>
    folder.putPart(id, number, await folder.receive(bytes(content), ['md5']));
  await part(2, 'b');
  await part(1, 'lost');
  expect(await part(1, 'a')).toMatchObject({ number: 1, size: 1, md5: '0cc175b9c0f1b6a831c399e269772661' });
  expect([files(), await text(folder.readParts(folder.index.parts(id)))]).toEqual([2, 'ab']);
  await folder.endUpload(id);
  expect([files(), folder.index.parts(id), folder.index.upload(id)]).toEqual([0, [], undefined]);
});

test('a folder opened again keeps its account and objects, and removes files that belong to none', async () => {
  const { dir, open, files } = scene();
  const folder = open();
  const account = folder.account();
  expect([account, account.accessKey]).toEqual([
    folder.account(),
    expect.stringMatching(/^SANDBOX[0-9A-F]{12}$/),
  ]);
  const kept = await folder.put(await folder.receive(bytes('a'), ['md5']), OBJECT);
  folder[Symbol.dispose]();
  writeFileSync(join(dir, 'objects', 'left'), '');
  writeFileSync(join(dir, 'incoming', 'left'), '');
  using again = open();
  expect([files(), files('incoming'), again.account()]).toEqual([1, 0, account]);
  expect(await text(await again.read(kept, undefined))).toBe('a');
});
