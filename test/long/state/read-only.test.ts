import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';

const PROGRAM = join(import.meta.dirname, '../../..', 'src', 'app', 'cli', 'main.ts');
/** Root may write whatever the modes say. */
const AS_NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Takes the right to write from all, or gives it back. */
async function allow(folder: string, isWritable: boolean): Promise<void> {
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))]) {
    const path = join(folder, name);
    const bits = (await stat(path)).isDirectory() ? 0o555 : 0o444;
    await chmod(path, isWritable ? bits | 0o200 : bits);
  }
}

test('with read access only, status, query and report work, and drop and doctor name the missing right', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  await runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  await chmod(join(folder, '..'), 0o755);
  await allow(folder, false);
  onTestFinished(() => allow(folder, true));
  const asked = async (...args: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...AS_NOBODY,
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, stdout, stderr };
  };
  const status = await asked('status', '--json');
  expect(status.stderr).toBe('');
  expect(JSON.parse(status.stdout)).toMatchObject({
    units: [{ dataset: 'crawl_pages', status: 'published' }],
    runs: [{ status: 'done' }],
  });
  const query = await asked('query', 'SELECT count(*) AS n FROM raw.crawl_pages', '--format', 'json');
  expect(JSON.parse(query.stdout)).toEqual([{ n: 5 }]);
  const report = await asked('report', '--json');
  // Of one pipeline alone there are not all models.
  expect(report).toMatchObject({ code: 2, stderr: expect.stringContaining('lacks shipped models') });
  const [unit] = JSON.parse(status.stdout).units;
  const drop = await asked('drop', '--crawl', unit.source.id, '--yes');
  expect(drop).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/right to read and write .*lock\.json/),
  });
  const doctor = await asked('doctor');
  expect(doctor.stdout + doctor.stderr).toMatch(/fail {2}lock +EACCES/);
  expect(drop.stderr + doctor.stdout + doctor.stderr).not.toContain('fault of crawlhouse');
});
