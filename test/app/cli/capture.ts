import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { main } from '../../../src/app/cli/app.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import '../../support/process-timeout.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without the lines of progress: they come where the machine is slow. */
const withoutProgress = (stderr: string): string => stderr.replaceAll(/^\[[█░]+\] .*\n/gm, '');

/** Runs the program in this process and keeps what it says. */
export async function capture(...argv: readonly string[]): Promise<Outcome> {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((piece) => {
      said[stream] += String(piece);
      return true;
    }),
  );
  try {
    const code = await main(argv);
    return { code, stdout: said.stdout, stderr: withoutProgress(said.stderr) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

export const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'app', 'cli', 'main.ts');

/** Runs the program as a process of its own. `started` gets it once it runs. */
export async function spawned(
  argv: readonly string[],
  started: (child: ReturnType<typeof spawn>) => void = () => {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  started(child);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, 'exit'),
  ]);
  return { code: child.exitCode, stdout, stderr: withoutProgress(stderr) };
}

const PAGES = 'dataset: crawl_pages\ndescription: Pages\nsource: { kind: crawl, data_type: pages }\n';

/** A project folder with one pipeline, no models and the given settings. */
export async function projectFolder(settings = ''): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'pipelines'));
  await mkdir(join(folder, 'sql'));
  await writeFile(join(folder, 'schedules.yaml'), 'schedules: []\n');
  await writeFile(join(folder, 'pipelines', 'crawl_pages.yaml'), PAGES);
  await writeFile(join(folder, 'crawlhouse.yaml'), `${settings}\nshipped_models: none\n`);
  return folder;
}
