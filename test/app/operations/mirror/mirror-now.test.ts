import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../../support/project.ts';
import { capture } from '../../cli/capture.ts';

// A whole mirror in a bucket is in test/long/operations/mirror.test.ts.

test.each([[], ['--verify']])(
  'mirror %s without the setting names the setting, and before the first run what to do',
  async (...flags) => {
    const folder = await projectFolder();
    const mirror = () => capture('mirror', ...flags, '--project-dir', folder);
    expect(await mirror()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has nothing under mirror'),
    });
    await writeFile(join(folder, 'crawlhouse.yaml'), 'mirror: {store: store_b, tables: [mart.pages]}\n');
    expect(await mirror()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing is published yet'),
    });
  },
);
