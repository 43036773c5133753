import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manPage } from '../src/cli/man-page.ts';

/** Builds `dist/` for the bin and the package, with the manual page. */
const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
writeFileSync(join(root, 'dist', 'crawlhouse.1'), await manPage());
