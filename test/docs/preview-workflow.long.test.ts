import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parseYaml } from '../../src/core/text/parse-yaml.ts';
import { MAIN } from '../app/cli/capture.ts';
import { pageWith, type SiteRoute, serveSite } from '../support/crawl-site.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PAGE = await readFile(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');

interface Workflow {
  readonly jobs: { readonly compare: { readonly steps: readonly { readonly run?: string }[] } };
}

function commands(): readonly string[] {
  const [, yaml = ''] = /^## Preview and production\n[\s\S]*?^```yaml\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const { jobs } = parseYaml(yaml).value as Workflow;
  return jobs.compare.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
}

/** Programs of the machine that runs the workflow. `npm` installs nothing: the program is this clone. */
async function machine(): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder();
  const programs = { crawlhouse: `exec '${process.execPath}' '${MAIN}' "$@"`, npm: 'echo "npm $*"' };
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { folder, path: `${folder}${delimiter}${process.env.PATH}` };
}

async function runWorkflow(production: string, preview: string) {
  const { folder, path } = await machine();
  const summary = join(folder, 'summary.md');
  const env = {
    ...process.env,
    PATH: path,
    PRODUCTION: production,
    PREVIEW: preview,
    GITHUB_STEP_SUMMARY: summary,
  };
  const codes: (number | null)[] = [];
  for (const command of commands()) {
    const shell = spawn('bash', ['-e', '-c', command], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said] = await Promise.all([text(shell.stderr), text(shell.stdout), once(shell, 'exit')]);
    codes.push(shell.exitCode);
    if (shell.exitCode !== 0 && !command.includes('--fail-on')) throw new Error(`${command}: ${said}`);
  }
  return { codes, summary: await readFile(summary, 'utf8') };
}

const HEAD = '<link rel="canonical" href="/about">';
const site = (more: Readonly<Record<string, SiteRoute>> = {}): Readonly<Record<string, SiteRoute>> => ({
  '/': pageWith('/about', '/contact'),
  '/about': pageWith('/').replace('</head>', `${HEAD}</head>`),
  '/contact': pageWith('/'),
  ...more,
});

test('the workflow for a preview ends with 4 for a preview with faults, and with 0 for one without', async () => {
  expect(commands()).toHaveLength(5);
  const production = await serveSite(site());
  const faults = {
    '/about': pageWith('/').replace('</head>', '<meta name="robots" content="noindex"></head>'),
    '/contact': { status: 404, body: 'gone' },
  };
  const preview = await serveSite(site(faults));
  const bad = await runWorkflow(production.origin, preview.origin);
  expect(bad.codes).toEqual([0, 0, 0, 0, 4]);
  expect(bad.summary).toContain('### crawlhouse compare: 3 of 7 rules broken');
  expect(bad.summary).toContain('3 read in both crawls, 0 not read in the second, 0 not read in the first.');
  for (const rule of ['new-noindex', 'lost-canonical', 'new-404'])
    expect(bad.summary).toMatch(new RegExp(`^\\| ${rule} +\\| broken +\\| 1 `, 'm'));
  expect(bad.summary).toMatch(/^\| blocked-with-clicks +\| unknown /m);
  const good = await runWorkflow(production.origin, (await serveSite(site())).origin);
  expect(good.codes).toEqual([0, 0, 0, 0, 0]);
  expect(good.summary).toContain('no rule is broken');
});
