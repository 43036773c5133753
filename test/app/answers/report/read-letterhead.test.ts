import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLetterhead } from '../../../../src/app/answers/report/read-letterhead.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('a logo of the project folder becomes part of the report', async () => {
  const projectDir = await temporaryFolder();
  await writeFile(join(projectDir, 'logo.JPG'), 'image');
  const report = { client: 'Shop', author: 'Ops', logo: 'logo.JPG' };
  expect(await readLetterhead({ projectDir, report })).toEqual({
    ...{ client: 'Shop', author: 'Ops' },
    logo: `data:image/jpeg;base64,${Buffer.from('image').toString('base64')}`,
  });
  expect(await readLetterhead({ projectDir, report: { client: 'Shop' } as typeof report })).toEqual({
    ...{ client: 'Shop', logo: undefined },
  });
});

test('a logo that reports do not support is refused with the reason', async () => {
  const projectDir = await temporaryFolder();
  await writeFile(join(projectDir, 'largest.png'), Buffer.alloc(500_000));
  await writeFile(join(projectDir, 'large.png'), Buffer.alloc(500_001));
  await mkdir(join(projectDir, 'folder.png'));
  const read = (logo: string) => readLetterhead({ projectDir, report: { logo } as never });
  expect((await read('largest.png')).logo).toContain('data:image/png;base64,');
  for (const [logo, why] of [
    ['large.png', 'is too large'],
    ['logo.pdf', 'is not an image that a report supports'],
    ['none.svg', 'cannot be read'],
    ['folder.png', 'cannot be read'],
  ] as const)
    await expect(read(logo), logo).rejects.toMatchObject({
      ...{ code: 'bad_settings', message: `crawlhouse.yaml: report.logo: ${logo} ${why}` },
    });
});
