import { expect, test } from 'vitest';
import { serveConsole } from '../../../../src/app/console/server/serve-console.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
import { consoleProject } from '../../../support/console-project.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test.for([
  ['without a publication', async (folder: string) => loadSettings(await rawProjectFolder(folder), {})],
  ['without the shipped models', (folder: string) => consoleProject(folder, async () => {}, {})],
] as const)('a console %s prepares nothing and logs nothing', async ([, make]) => {
  const lines: string[] = [];
  const settings = await make(await temporaryFolder());
  const logger = createLogger('warn', (line) => lines.push(line));
  await using served = await serveConsole(settings, '127.0.0.1:0', logger, new AbortController().signal);
  await served.preparePages();
  expect(lines).toEqual([]);
});
