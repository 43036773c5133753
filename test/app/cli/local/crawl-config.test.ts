import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { crawlConfig } from '../../../../src/app/cli/local/crawl-config.ts';
import { LIST_CONFIG_NAME } from '../../../../src/app/cli/local/local-service.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { capture, projectFolder } from '../capture.ts';

test.for([
  [['--site', 'https:///'], null, '--site https:///: not a URL'],
  [['--site', 'ftp://b.example/'], null, '--site ftp://b.example/: not a URL'],
  [['--list', 'urls.txt', '--site', 'b.example'], null, '--site: not possible with --list'],
  [['--config', 'crawl.yaml'], 'sites: b.example', 'crawl.yaml:1: sites: '],
  [
    ['--config', 'crawl.yaml'],
    'sites: [a.example, "ftp://b.example/"]',
    'crawl.yaml:1: sites.1: an http or https URL',
  ],
  [['--recheck', '5', '--no-recheck'], null, '--recheck 5: not possible with --no-recheck'],
] as const)('crawl %j with %j is refused: %s', async ([flags, config, message]) => {
  const folder = await projectFolder('');
  await writeFile(join(folder, 'urls.txt'), 'http://127.0.0.1:9/\n');
  await writeFile(join(folder, 'crawl.yaml'), `${config}\n`);
  const inFolder = flags.map((flag) => (/\.(txt|yaml)$/.test(flag) ? join(folder, flag) : flag));
  const { code, stderr } = await capture(
    'crawl',
    'http://127.0.0.1:9/',
    ...inFolder,
    '--project-dir',
    folder,
  );
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test.for(['--config', 'the website'])(
  'a list keeps its own configuration name, whatever the file of %s contains',
  async (of) => {
    const folder = await projectFolder('');
    await mkdir(join(folder, 'crawls'));
    const file = of === '--config' ? 'crawl.yaml' : join('crawls', '127.0.0.1_9.yaml');
    await writeFile(join(folder, file), 'name: daily\nmax_url: 7\n');
    const invocation = {
      positionals: [],
      text: (flag: string) => (flag === of.slice(2) ? file : undefined),
      texts: () => [],
      has: () => false,
      say: () => {},
      settings: () => loadSettings(folder, {}),
      workingDirectory: folder,
    } as unknown as Invocation;
    const { config } = await crawlConfig(invocation, async () => {}, ['http://127.0.0.1:9/a']);
    expect(config).toMatchObject({ name: LIST_CONFIG_NAME, max_url: 7 });
  },
);
