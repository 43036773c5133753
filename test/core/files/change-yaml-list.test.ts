import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeYamlList } from '../../../src/core/files/change-yaml-list.ts';
import { temporaryFolder } from '../../support/temporary.ts';

type Change = Parameters<typeof changeYamlList>[2];

async function changed(text: string | null, change: Change): Promise<string> {
  const path = join(await temporaryFolder(), 'a.yaml');
  if (text !== null) writeFileSync(path, text);
  await changeYamlList({ path, key: 'list' }, async () => {}, change);
  return readFileSync(path, 'utf8');
}
const LIST = '# Ours\nlist:\n  - a: 1 # one\n  - a: 2\n';

test('entries are added, removed and changed, and comments stay', async () => {
  expect(await changed(LIST, ({ add }) => add({ a: 3 }))).toBe(`${LIST}  - a: 3\n`);
  expect(await changed(LIST, ({ remove }) => remove(1))).toBe('# Ours\nlist:\n  - a: 1 # one\n');
  expect(await changed(LIST, ({ set }) => set(0, 'b', 5))).toContain('b: 5');
  expect(await changed(LIST, ({ set }) => set(1, 'a', undefined))).not.toContain('2');
  expect(await changed(null, ({ add }) => add({ a: 3 }))).toBe('list:\n  - a: 3\n');
  expect(await changed('list: []\n', ({ add }) => add({ a: 3 }))).toMatch(/- a: 3/);
  let values: readonly unknown[] = [];
  await changed(LIST, (list) => {
    values = list.values;
  });
  expect(values).toEqual([{ a: 1 }, { a: 2 }]);
});

test('an invalid file, and a change that is refused, leave the file', async () => {
  const path = join(await temporaryFolder(), 'a.yaml');
  writeFileSync(path, LIST);
  const at = { path, key: 'list' };
  const refuse = async () => {
    throw new Error('invalid');
  };
  await expect(changeYamlList(at, refuse, ({ add }) => add({}))).rejects.toThrow('invalid');
  const no: Change = ({ add }) => {
    add({});
    throw new Error('no');
  };
  await expect(changeYamlList(at, async () => {}, no)).rejects.toThrow('no');
  expect(readFileSync(path, 'utf8')).toBe(LIST);
});
