import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMAND_NAMES } from '../../src/app/cli/command-names.ts';
import { manPage } from '../../src/app/cli/man-page.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { readVariables } from '../../src/app/settings/variables.ts';
import '../support/process-timeout.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');
const dockerfile = await read('Dockerfile');
const manifest = JSON.parse(await read('package.json')) as {
  files: string[];
  man: string[];
  scripts: Record<string, string>;
};

/** The instructions of the Dockerfile, continued lines joined. */
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
  .map((line) => ({ name: line.split(' ')[0], rest: line.slice(line.indexOf(' ') + 1) }));
const of = (name: string): string[] =>
  instructions.filter((one) => one.name === name).map(({ rest }) => rest);

test('the image is built in two stages from one exact Node image', () => {
  expect(of('ARG')).toEqual([expect.stringMatching(/^NODE_IMAGE=node:24\.\d+\.\d+-slim$/)]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker puts the argument in
  expect(of('FROM')).toEqual(['${NODE_IMAGE} AS build', '${NODE_IMAGE}']);
});

test('the image runs as a non-root user, with one volume and a read-only health check', () => {
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  const user = last.findIndex(({ name }) => name === 'USER');
  expect(last[user]?.rest).toBe('1000');
  expect(last.slice(user).some(({ name }) => name === 'RUN' || name === 'COPY')).toBe(false);
  expect(of('VOLUME')).toEqual(['/data']);
  expect(of('HEALTHCHECK')[0]).toMatch(/CMD \["crawlhouse", "status", "--json"\]$/);
  expect(of('ENTRYPOINT')).toEqual(['["crawlhouse"]']);
});

test('the image contains the package, and its build receives every copied file', async () => {
  const copied = of('COPY').flatMap((rest) =>
    rest
      .split(' ')
      .filter((word) => !word.startsWith('--'))
      .slice(0, -1),
  );
  const programs = manifest.files.filter(
    (name) => !name.startsWith('!') && !['docs', 'packaging'].includes(name),
  );
  expect(copied.map((path) => path.replace('/app/', ''))).toEqual(expect.arrayContaining(programs));
  const sent = (await read('.dockerignore'))
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  expect(copied.filter((path) => !path.startsWith('/app/')).toSorted()).toEqual(sent.toSorted());
  for (const name of sent) expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
  // What the build reads stands in its stage.
  const [, list = ''] = /const SOURCES = \[([^\]]+)\]/.exec(await read('scripts/build.ts')) ?? [];
  const sources = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
  expect(sources).toContain('src');
  const [stage = ''] = dockerfile.split('RUN node scripts/build.ts');
  for (const name of sources)
    expect(stage).toMatch(new RegExp(`^COPY (?:.* )?${name.replaceAll('.', '\\.')} `, 'm'));
});

test('hadolint accepts the Dockerfile', ({ skip }) => {
  const { status, stdout, error } = spawnSync('hadolint', [join(ROOT, 'Dockerfile')], { encoding: 'utf8' });
  if (error) return skip('no hadolint here');
  expect([status, stdout]).toEqual([0, '']);
});

test('compose runs the schedule with minimal rights', async () => {
  const { services, volumes } = parse(await read('compose.yaml'));
  expect(Object.keys(volumes)).toEqual(['project']);
  expect(services.schedule).toMatchObject({
    init: true,
    read_only: true,
    cap_drop: ['ALL'],
    volumes: ['project:/data'],
    stop_grace_period: '90s',
    // Only a proxy on the host reaches the console.
    ports: ['127.0.0.1:8092:8092'],
  });
  expect(COMMAND_NAMES).toContain(services.schedule.command[0]);
});

test('compose runs four workers with a schedule, PostgreSQL, a bucket and Trino', async () => {
  const { services, volumes, configs } = parse(await read('packaging/compose.workers.yaml'), { merge: true });
  expect(Object.keys(services)).toEqual(['schedule', 'worker', 'postgres', 's3', 'trino']);
  expect(Object.keys(volumes)).toEqual(['project', 'ledger', 'bucket']);
  for (const one of [services.schedule, services.worker]) {
    expect(one).toMatchObject({ init: true, read_only: true, cap_drop: ['ALL'], stop_grace_period: '90s' });
    expect(COMMAND_NAMES).toContain(one.command[0]);
    const given = Object.entries(one.environment as Record<string, string>);
    const ours = given.filter(([name]) => name.startsWith('CRAWLHOUSE_'));
    expect(readVariables(Object.fromEntries(ours))).toMatchObject({
      packages: { store: 'store_b' },
      ledger: expect.stringContaining('project=main'),
    });
    const settings = await loadSettings(await temporaryFolder(), Object.fromEntries(ours));
    expect(settings.engine).toMatchObject({
      engine: 'trino',
      url: 'http://trino:8080',
      catalog: 'lake',
      bucket: 'crawlhouse',
    });
  }
  // What the page asks of Trino.
  const page = await read('docs/trino.md');
  const asked = [...page.matchAll(/^\| the (?:Iceberg catalog|coordinator) +\| `([^`]+)`/gm)].map(
    ([, one]) => one,
  );
  expect(asked).toHaveLength(3);
  const contents = Object.values(configs as Record<string, { content: string }>).map(
    ({ content }) => content,
  );
  for (const one of asked) expect(contents.join('\n').split('\n')).toContain(one);
  expect(services.worker).toMatchObject({ deploy: { replicas: 4 }, volumes: ['project:/data:ro'] });
});

test('systemd accepts the unit', async ({ skip }) => {
  if (!existsSync('/usr/bin/systemd-analyze')) skip('no systemd-analyze here');
  const unit = join(ROOT, 'packaging', 'crawlhouse.service');
  expect(await read('packaging/crawlhouse.service')).toContain('\nKillMode=mixed\n');
  // Units of the machine itself may be at fault too: it is ours that is looked at.
  const { stdout, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('crawlhouse.service'));
  expect(said).toEqual([]);
});

test('the manual page lists every command, and is part of the package', async () => {
  const page = await manPage();
  for (const name of COMMAND_NAMES) expect(page).toContain(`.SS crawlhouse ${name}`);
  expect(await read('scripts/build.ts')).toContain("'crawlhouse.1'), await manPage()");
  // npm links only those of a list.
  expect(manifest.man).toEqual(['dist/crawlhouse.1']);
  expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'packaging']));
});

test('groff formats the manual page without a warning', async ({ skip }) => {
  const groff = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z'], {
    input: await manPage(),
    encoding: 'utf8',
  });
  if (groff.error) return skip('no groff here');
  expect([groff.stdout, groff.stderr]).toEqual(['', '']);
});

test('the release signs its artifacts with minimal rights', async () => {
  const workflow = parse(await read('.github/workflows/release.yml'));
  expect(workflow.permissions).toEqual({});
  const { permissions, steps } = workflow.jobs.release as {
    permissions: Record<string, string>;
    steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
  };
  expect(permissions).toEqual({
    contents: 'write',
    packages: 'write',
    'id-token': 'write',
    attestations: 'write',
  });
  const uses = steps.flatMap((step) => step.uses ?? []);
  expect(uses).toContainEqual(expect.stringMatching(/^actions\/attest-build-provenance@/));
  expect(uses).toContainEqual(expect.stringMatching(/^actions\/attest-sbom@/));
  expect(steps.find((step) => step.uses?.startsWith('docker/build-push-action@'))?.with).toMatchObject({
    provenance: 'mode=max',
    sbom: true,
  });
  const scripts = steps.flatMap(({ run = '' }) =>
    [...run.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name),
  );
  for (const name of scripts) expect(Object.keys(manifest.scripts)).toContain(name);
  expect(scripts).toContain('sbom');
});

test('no workflow publishes under a registry name that is not ours', async () => {
  expect(await read('.github/workflows/release.yml')).not.toMatch(/npm publish/);
});
