import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/core/errors/error-codes.ts';
import { CrawlhouseError, firstStack, toCrawlhouseError } from '../../../src/core/errors/errors.ts';
import { readText } from '../../../src/core/files/read-text.ts';
import { host, withHost } from '../../../src/core/host/host.ts';
import { openSqlite } from '../../../src/core/locks/open-sqlite.ts';
import { temporaryFolder } from '../../support/temporary.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it did not work`), { code });
}

test('the code of an error decides its kind and exit code', () => {
  const codes = ['internal', 'usage', 'cut_short', 'unreconciled', 'unauthorized', 'wrong_state'] as const;
  expect(codes.map((code) => new CrawlhouseError(code, 'no').exitCode)).toEqual([1, 2, 3, 4, 5, 0]);
  expect(new CrawlhouseError('interrupted', 'no').exitCode).toBe(130);
});

test('an error shows its own hint, or else the hint of its code', () => {
  expect(new CrawlhouseError('usage', 'no', { hint: 'yes' }).hint).toBe('yes');
  expect(new CrawlhouseError('usage', 'no').hint).toBe(ERROR_CODES.usage.hint);
  expect(new CrawlhouseError('not_exportable', 'no', { hint: null }).hint).toBe(null);
});

test('a crawlhouse error is passed on unchanged', () => {
  const error = new CrawlhouseError('usage', 'no', { hint: 'yes' });
  expect(toCrawlhouseError(error)).toBe(error);
});

test('a full disk is a disk error with a hint about space', () => {
  const full = [
    systemError('ENOSPC'),
    systemError('EDQUOT'),
    new Error('IO Error: Could not write file "x"'),
    Object.assign(new Error('database or disk is full'), { errcode: 13 }),
  ];
  for (const error of full.map(toCrawlhouseError)) {
    expect([error.code, error.hint]).toEqual(['disk', 'free some space, then run again']);
  }
});

test('an error during closing does not hide the original error', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  const hidden = new SuppressedError(new Error('second'), new SuppressedError(new Error('first'), full));
  expect(toCrawlhouseError(hidden)).toMatchObject({ code: 'disk', message: full.message, cause: full });
});

test('a failing disk is a disk error, not an internal error', () => {
  for (const thrown of [systemError('EIO'), Object.assign(new Error('disk I/O error'), { errcode: 266 })]) {
    const error = toCrawlhouseError(thrown);
    expect([error.code, error.hint]).toEqual(['disk', expect.stringContaining('the disk has failed')]);
  }
});

test('a file without permission is a disk error with a hint about permissions, not space', async () => {
  const denied = await writeFile('/sys/no-such-place', '').catch((error: unknown) => error);
  const errors = [
    denied,
    systemError('EPERM'),
    new Error('IO Error: Cannot open file "/sys/x.duckdb": Permission denied'),
    Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 }),
  ];
  for (const error of errors.map(toCrawlhouseError)) {
    expect([error.code, error.hint]).toEqual(['disk', expect.stringMatching(/^give the user .* the right/)]);
  }
  expect(toCrawlhouseError(denied).hint).toContain('/sys/no-such-place');
});

test('a read-only disk is a disk error that names the mount, not space', () => {
  const errors = [
    Object.assign(systemError('EROFS'), { syscall: 'open', path: '/data/warehouse.duckdb' }),
    new Error('IO Error: Cannot open file "/data/warehouse.duckdb": Read-only file system'),
  ];
  for (const error of errors.map(toCrawlhouseError)) {
    expect([error.code, error.hint]).toEqual(['disk', expect.stringContaining('read-only file system')]);
  }
});

test('a privileged port is not a disk error', () => {
  const error = Object.assign(systemError('EACCES'), { syscall: 'listen' });
  expect(toCrawlhouseError(error).code).toBe('internal');
});

test('a folder instead of a file, and the reverse, is a usage error with the path', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const opened = async (path: string): Promise<void> => openSqlite(path).close();
  const thrown = await Promise.all(
    [
      readText(folder),
      rm(folder),
      opened(folder),
      readdir(file),
      mkdir(file),
      readText(join(file, 'below')),
      opened(join(file, 'below')),
    ].map((one) => one.then(() => null, toCrawlhouseError)),
  );
  expect(thrown.map((error) => [error?.code, error?.message])).toEqual([
    ...Array(3).fill(['bad_project', `${folder} is a folder; a file is expected there`]),
    ...Array(2).fill(['bad_project', `${file} is a file, or below one; a folder is expected there`]),
    ...Array(2).fill([
      'bad_project',
      `${join(file, 'below')} is a file, or below one; a folder is expected there`,
    ]),
  ]);
  expect(thrown.map((error) => error?.hint)).not.toContain(undefined);
});

test.each([
  [{ code: 'EISDIR', syscall: 'rename', path: '/a', dest: '/b' }, '/b is a folder; a file is expected there'],
  [
    { code: 'EISDIR', syscall: 'copyfile', path: '/a', dest: '/b' },
    '/a is a folder; a file is expected there',
  ],
  [
    { code: 'EEXIST', syscall: 'mkdir', path: '/a' },
    '/a is a file, or below one; a folder is expected there',
  ],
])('%j names the path in the way', (facts, message) => {
  expect(toCrawlhouseError(Object.assign(new Error('no'), facts))).toMatchObject({
    code: 'bad_project',
    message,
  });
});

test.each([
  { code: 'EEXIST', syscall: 'open', path: '/a' },
  { code: 'EISDIR', syscall: 'read' },
])('%j is an internal error', (facts) => {
  expect(toCrawlhouseError(Object.assign(new Error('no'), facts)).code).toBe('internal');
});

test('a damaged block is damage of the warehouse, also as a cause', () => {
  const damage = new Error('IO Error: Corrupt database file: computed checksum 1 does not match');
  for (const error of [damage, new Error('no', { cause: damage })])
    expect(toCrawlhouseError(error)).toMatchObject({
      code: 'damaged_warehouse',
      hint: expect.stringContaining('the next run replaces'),
    });
  expect(toCrawlhouseError(new Error('no', { cause: 'Corrupt database file' })).code).toBe('internal');
});

test('an SQLite file on a full disk is a disk error, not a missing file', () => {
  const full = {
    ...host(),
    sqlite: () => {
      throw Object.assign(new Error('unable to open database file'), { errcode: 14 });
    },
    files: {
      ...host().files,
      writeFileSync: () => {
        throw systemError('ENOSPC');
      },
    },
  };
  expect(() => withHost(full, () => openSqlite('/lock.sqlite'))).toThrowError(systemError('ENOSPC').message);
});

test('an abort is an interruption, or the error given as its reason', async () => {
  expect(toCrawlhouseError(AbortSignal.abort().reason).code).toBe('interrupted');
  expect(toCrawlhouseError(new DOMException('late', 'TimeoutError'))).toMatchObject({
    code: 'interrupted',
    message: 'the time limit was reached',
  });
  expect(toCrawlhouseError(new DOMException('late', 'DataError')).code).toBe('internal');
  expect(toCrawlhouseError(Object.assign(new Error('late'), { name: 'TimeoutError' })).code).toBe('internal');
  const reason = new CrawlhouseError('interrupted', 'interrupted by SIGTERM');
  const thrown = Object.assign(new Error('aborted', { cause: reason }), { name: 'AbortError' });
  expect(toCrawlhouseError(thrown)).toBe(reason);
});

test('any other error is an internal error with its cause', () => {
  const cause = new TypeError('x is not a function');
  const error = toCrawlhouseError(cause);
  expect([error.code, error.exitCode, error.message]).toEqual(['internal', 1, 'x is not a function']);
  expect(error.cause).toBe(cause);
  expect(toCrawlhouseError('just a text').message).toBe('just a text');
  expect(toCrawlhouseError(undefined).code).toBe('internal');
});

test.for([
  new Error('Out of Memory Error: failed to pin block of size 256.0 KiB (14.1 MiB/14.3 MiB used)'),
  new Error('libduckdb.so: failed to map segment from shared object'),
  Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM', syscall: 'spawn' }),
  new Error('IO Error: Could not mmap: Cannot allocate memory'),
])('out of memory is not an internal error: %s', (error) => {
  const { code, exitCode, hint } = toCrawlhouseError(error);
  expect([code, exitCode, hint]).toEqual(['memory', 3, expect.stringContaining('raise memory_limit')]);
});

test.for([
  Object.assign(new Error('EMFILE: too many open files, open /x'), {
    code: 'EMFILE',
    syscall: 'open',
    path: '/x',
  }),
  Object.assign(new Error('spawn ENFILE'), { code: 'ENFILE', syscall: 'spawn ENFILE' }),
  Object.assign(new Error('listen EMFILE'), { code: 'EMFILE', syscall: 'listen' }),
  new Error('IO Error: Cannot open file "/x": Too many open files'),
])('too many open files are an error of the machine: %s', (error) => {
  const { code, exitCode, hint } = toCrawlhouseError(error);
  expect([code, exitCode, hint]).toEqual([
    'disk',
    3,
    expect.stringMatching(/limit of open files.*ulimit -n/),
  ]);
});

test.for([8, 14, 264, 520, 776, 1032, 1288, 1544, 270, 526])(
  'an SQLite file that cannot be opened or written (%i) is not an internal error',
  (errcode) => {
    const error = Object.assign(new Error('unable to open database file'), {
      errcode,
      path: '/p/ledger.sqlite',
    });
    const { code, hint } = toCrawlhouseError(error);
    expect([code, hint]).toEqual(['disk', expect.stringContaining('/p/ledger.sqlite')]);
  },
);

test('the stack of an internal error and of its causes is logged once', () => {
  const thrown = new TypeError('undefined is no function', { cause: new Error('the cause') });
  const { stack } = firstStack(toCrawlhouseError(thrown));
  expect(stack).toMatch(/^TypeError: undefined is no function\n +at .*errors\.test\.ts/);
  expect(stack).toContain('\ncaused by Error: the cause\n');
  expect(firstStack(toCrawlhouseError(thrown))).toEqual({});
  expect(firstStack(toCrawlhouseError(new TypeError('another')))).toHaveProperty('stack');
});

test('a thrown value is logged as text, and again after a thousand others', () => {
  const stackOf = (cause: unknown) => firstStack(new CrawlhouseError('internal', 'no', { cause })).stack;
  expect([stackOf('a text'), stackOf({ a: 1 }), stackOf('a text')]).toEqual(['a text', '{"a":1}', undefined]);
  for (let n = 0; n < 1000; n++) stackOf(`text ${n}`);
  expect([stackOf('a text'), stackOf('a text')]).toEqual(['a text', undefined]);
});

test('an error that the user can fix has no stack trace', () => {
  expect(firstStack(new CrawlhouseError('usage', 'no such flag'))).toEqual({});
});
