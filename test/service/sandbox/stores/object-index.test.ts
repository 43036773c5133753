import { expect, test } from 'vitest';
import {
  type IndexedObject,
  listObjects,
  ObjectIndex,
} from '../../../../src/service/sandbox/stores/object-index.ts';

const object = (key: string, more: Partial<IndexedObject> = {}): IndexedObject => ({
  bucket: 'b',
  key,
  file: `f-${key}`,
  size: 1,
  etag: 'e',
  generation: '1',
  updatedAt: 1,
  checksums: {},
  headers: {},
  ...more,
});

test('buckets, objects, uploads and accounts are kept until they are deleted', () => {
  using index = new ObjectIndex(':memory:');
  expect(index.hasBucket('b')).toBe(false);
  index.addBucket('b', 7);
  index.addBucket('b', 8);
  expect([index.hasBucket('b'), index.buckets()]).toEqual([true, [{ name: 'b', createdAt: 7 }]]);
  index.putObject(object('a'));
  index.putObject(object('a', { size: 2 }));
  expect(index.object('b', 'a')).toEqual(object('a', { size: 2 }));
  expect(index.object('c', 'a')).toBeUndefined();
  index.putUpload({ id: 'u', bucket: 'b', key: 'k', headers: {} });
  index.putPart('u', { number: 2, file: 'p2', size: 1, md5: 'x' });
  index.putPart('u', { number: 1, file: 'p1', size: 1, md5: 'x' });
  expect(index.parts('u').map((part) => part.number)).toEqual([1, 2]);
  expect(index.files()).toEqual(new Set(['f-a', 'p1', 'p2']));
  expect(index.upload('u')?.key).toBe('k');
  index.deleteUpload('u');
  expect([index.upload('u'), index.parts('u')]).toEqual([undefined, []]);
  index.deleteObject('b', 'a');
  expect([index.object('b', 'a'), index.files().size]).toEqual([undefined, 0]);
  index.addAccount('access', 'secret');
  expect(index.accounts()).toEqual([{ accessKey: 'access', secretKey: 'secret' }]);
});

test('objects are in the order of their keys, from a prefix and after a key', () => {
  using index = new ObjectIndex(':memory:');
  for (const key of ['p/b', 'p/a', 'q', 'o']) index.putObject(object(key));
  const keys = (prefix: string, after?: string) =>
    [...index.objects('b', prefix, after)].map(({ key }) => key);
  expect(keys('')).toEqual(['o', 'p/a', 'p/b', 'q']);
  expect(keys('p/')).toEqual(['p/a', 'p/b']);
  expect(keys('p/', 'p/a')).toEqual(['p/b']);
  expect([...index.objects('c', '')]).toEqual([]);
});

test('a page lists objects and the common prefixes of a delimiter, each once', () => {
  const all = ['a/1', 'a/2', 'b', 'c/1', 'd'].map((key) => object(key));
  const list = (more: object) => {
    const { objects, prefixes, next } = listObjects(all, {
      prefix: '',
      delimiter: '',
      limit: 9,
      after: '',
      ...more,
    });
    return [objects.map(({ key }) => key), prefixes, next];
  };
  expect(list({})).toEqual([['a/1', 'a/2', 'b', 'c/1', 'd'], [], undefined]);
  expect(list({ delimiter: '/' })).toEqual([['b', 'd'], ['a/', 'c/'], undefined]);
  expect(list({ delimiter: '/', limit: 2 })).toEqual([['b'], ['a/'], 'b']);
  expect(list({ delimiter: '/', limit: 1 })).toEqual([[], ['a/'], 'a/']);
  expect(list({ delimiter: '/', after: 'a/' })).toEqual([['b', 'd'], ['c/'], undefined]);
  expect(list({ delimiter: '/', prefix: 'a/' })[0]).toContain('a/1');
  expect(list({ limit: 5 })[2]).toBeUndefined();
  expect(list({ limit: 0 })).toEqual([[], [], undefined]);
});
