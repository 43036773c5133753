import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readJsonFile } from '../../../src/core/files/read-json-file.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each([
  ['{"a":{"b":1}}', { a: { b: 1 } }],
  ['{"a":{"b":"1"}}', ', at a.b: '],
  ['[]', ', at its root: '],
  ['{', ': Expected property name'],
])('%s is read, or refused with its place', async (text, expected) => {
  const file = join(await temporaryFolder(), 'some.json');
  await writeFile(file, text);
  const reading = readJsonFile(file, z.object({ a: z.object({ b: z.number() }) }), {
    code: 'bad_settings',
    hint: 'correct it',
  });
  if (typeof expected === 'object') expect(await reading).toEqual(expected);
  else
    await expect(reading).rejects.toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining(`${file}${expected}`),
    });
});
