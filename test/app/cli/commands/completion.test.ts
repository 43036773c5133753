import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../capture.ts';

async function words(...line: readonly string[]): Promise<string[]> {
  const folder = await projectFolder();
  const { code, stdout } = await capture('completion', 'words', '--project-dir', folder, '--', ...line);
  expect(code).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

test.for([
  [['do'], ['docs', 'doctor']],
  [['sandbox', ''], ['start']],
  [['logs', 'bots', 'u'], ['update']],
  [['help', 'sand'], ['sandbox']],
  [['run', '--ro'], ['--route']],
  [['run', '--route', 'st'], ['stream']],
  [['run', 'crawl_'], ['crawl_pages']],
  [['help', 'run', '--he'], ['--help']],
  [
    ['query', '--format', 'json'],
    ['json', 'jsonl'],
  ],
  [['query', '--file', ''], []],
  [['nothing', ''], []],
] as const)('completion of %j offers %j', async ([line, expected]) => {
  expect(await words(...line)).toEqual(expected);
});

test('completion of an empty line offers every command and help', async () => {
  const found = await words('');
  expect(found).toContain('help');
  expect(found.filter((one) => one === 'sandbox')).toEqual(['sandbox']);
});

test('completion offers models and questions of the project', async () => {
  const shipped = join(import.meta.dirname, '../../../..');
  const { stdout } = await capture(
    'completion',
    'words',
    '--project-dir',
    shipped,
    '--',
    'transform',
    'page_ch',
  );
  expect(stdout).toBe('page_changes\n');
  const asked = await capture(
    'completion',
    'words',
    '--project-dir',
    shipped,
    '--',
    'query',
    '--question',
    'q09',
  );
  expect(asked.stdout).toBe('q09_redirect_chains_and_loops\n');
});

test('the bash script asks the program and quotes the result', async () => {
  const { stdout: script } = await capture('completion', 'bash');
  const asked = `${script}
crawlhouse() { printf '%s\\n' "$*" 'Tea & Co' plain; }
COMP_WORDS=(crawlhouse run --project T); COMP_CWORD=3; _crawlhouse
printf '<%s>' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', asked]);
  expect(stdout).toBe('<completion\\ words\\ --\\ run\\ --project\\ T><Tea\\ \\&\\ Co><plain>');
});

test.for([
  [[], 'no shell is named'],
  [['tcsh'], 'there is no script for tcsh'],
  [['bash', 'zsh'], 'there is no script for bash zsh'],
] as const)('completion %j is a usage error', async ([argv, error]) => {
  const { code, stderr } = await capture('completion', ...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${error}\nTry: shells: bash, zsh, fish`)]);
});
