import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { until } from '../../../support/until.ts';
import '../../../support/process-timeout.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'app', 'cli', 'main.ts');
const PAGES = 'pipelines: [crawl_pages]';
export const DONE_LONG_AGO = '2026-01-01T06:00:00.000Z';

/** A project folder with one schedule, at six in the morning in UTC unless it says something else. */
export async function project(...lines: readonly string[]): Promise<string> {
  const folder = await rawProjectFolder();
  const keys = lines.some((line) => line.startsWith('cron:')) ? lines : ['cron: "0 6 * * *"', ...lines];
  await writeFile(
    join(folder, 'schedules.yaml'),
    `schedules:\n  - name: morning\n${[PAGES, ...keys].map((line) => `    ${line}\n`).join('')}`,
  );
  return folder;
}

/** As if the service had been down since the beginning of the year. */
export async function missed(folder: string): Promise<void> {
  await mkdir(join(folder, '.crawlhouse'), { recursive: true });
  const morning = { cron: '0 6 * * *', time_zone: 'UTC', done_until: DONE_LONG_AGO };
  await writeFile(join(folder, '.crawlhouse', 'schedules.json'), JSON.stringify({ morning }));
}

/** The service as a process, with what it says. */
export function service(folder: string, sandbox: Sandbox, extra: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, 'schedule'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
      CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
      ...extra,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said.text += piece;
  });
  const heard = (pattern: RegExp) => until(async () => pattern.exec(said.text) ?? undefined, 60_000);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  return { child, said, heard, ended };
}
