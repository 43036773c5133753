import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  endPrivacy,
  giveUserMode,
  keepFilesPrivate,
  makePrivateFolder,
  underUserMask,
} from '../../../src/core/files/private-files.ts';
import { host, withHost } from '../../../src/core/host/host.ts';
import { temporaryFolder } from '../../support/temporary.ts';

afterEach(endPrivacy);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('files are private until results get the mode of the user', async () => {
  const mask = process.umask();
  const folder = await temporaryFolder();
  const [file, inner] = [join(folder, 'file'), join(folder, 'inner')];
  keepFilesPrivate();
  writeFileSync(file, '');
  mkdirSync(inner);
  expect([modeOf(file), modeOf(inner)]).toEqual([0o600, 0o700]);
  expect(underUserMask(() => process.umask())).toBe(mask);
  expect(process.umask()).toBe(mask | 0o077);
  await giveUserMode(file);
  await giveUserMode(inner);
  expect([modeOf(file), modeOf(inner)]).toEqual([0o666 & ~mask, 0o777 & ~mask]);
  endPrivacy();
  expect(process.umask()).toBe(mask);
  expect(underUserMask(() => process.umask())).toBe(mask);
});

test('a private folder takes the permissions of others, and keeps those of its owner', async () => {
  const folder = join(await temporaryFolder(), 'a', 'b');
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe(0o700);
  chmodSync(folder, 0o555);
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe(0o500);
  chmodSync(folder, 0o700);
});

test.each([
  ['EPERM', false],
  ['EROFS', false],
  ['EIO', true],
])('a private folder that cannot be closed for %s is an error: %s', async (code, isError) => {
  const folder = await temporaryFolder();
  chmodSync(folder, 0o755);
  const chmodSyncFails = (): never => {
    throw Object.assign(new Error(code), { code });
  };
  const files = { ...host().files, chmodSync: chmodSyncFails };
  const make = () => withHost({ ...host(), files }, () => makePrivateFolder(folder));
  if (isError) expect(make).toThrow(code);
  else expect(make).not.toThrow();
});
