import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

test('the package works where it is installed from its tarball: init, sandbox, run, query', async () => {
  const place = await temporaryFolder();
  const { stdout: packed } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', place],
    { cwd: ROOT },
  );
  const document = JSON.parse(packed) as Record<string, { filename: string }> | { filename: string }[];
  const [tarball] = Object.values(document);
  await writeFile(join(place, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', join(place, tarball?.filename ?? '')], {
    cwd: place,
  });
  const program = join(place, 'node_modules', 'crawlhouse', 'dist', 'cli', 'main.js');
  const node = process.execPath;
  const project = join(place, 'project');
  await run(node, [program, 'init', project]);

  const ready = join(place, 'ready.json');
  const generate = 'projects=1,crawls=2,pages=200,links=500,columns=30,seed=1';
  const sandbox = spawn(
    node,
    [program, 'sandbox', 'start', '--quiet', '--generate', generate, '--ready-file', ready],
    { cwd: place, stdio: 'ignore' },
  );
  const ended = once(sandbox, 'exit');
  onTestFinished(async () => {
    sandbox.kill();
    await ended;
  });
  while (!existsSync(ready)) await sleep(50);
  const { base_url, access_token } = JSON.parse(await readFile(ready, 'utf8'));
  await mkdir(join(place, 'elsewhere'));
  await writeFile(
    join(project, '.env'),
    `CRAWLHOUSE_BASE_URL=${base_url}\nCRAWLHOUSE_ACCESS_TOKEN=${access_token}\n`,
  );
  const inProject = ['--project-dir', project];
  const result = JSON.parse(
    (await run(node, [program, 'run', '--json', ...inProject], { cwd: join(place, 'elsewhere') })).stdout,
  );
  expect(result.status).toBe('done');
  const query = ['query', 'SELECT count(*) AS n FROM mart.links', '--format', 'json', ...inProject];
  const { stdout } = await run(node, [program, ...query], { cwd: place });
  expect(JSON.parse(stdout)).toEqual([{ n: 1000 }]);
  const api = `import { ServiceClient } from 'crawlhouse';
    await using client = new ServiceClient({ baseUrl: '${base_url}', accessToken: '${access_token}' });
    for await (const workspace of client.list('workspaces', {})) console.log(workspace.name);`;
  await writeFile(join(place, 'client.mjs'), api);
  expect((await run(node, ['client.mjs'], { cwd: place })).stdout.trim()).toBe('Sandbox');
});
