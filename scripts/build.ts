import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { CHART_STYLE } from '../src/answers/report/chart-style.ts';
import { PAGE_STYLE } from '../src/core/page-style.ts';
import { manPage } from '../src/people/cli/man-page.ts';

/** Builds `dist/` for the bin and the package, with the manual page and the files of the console. */
const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '--project', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(root, 'dist', 'people', 'cli', 'main.js'), 0o755);
writeFileSync(join(root, 'dist', 'crawlhouse.1'), await manPage());
const console = join(root, 'src', 'people', 'console');
const assets = join(root, 'dist', 'people', 'console', 'assets');
cpSync(join(console, 'assets'), assets, { recursive: true });
const style = join(assets, 'console.css');
writeFileSync(style, PAGE_STYLE + CHART_STYLE + readFileSync(style, 'utf8'));
await build({
  root: join(console, 'browser'),
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: assets,
    emptyOutDir: false,
    target: 'es2024',
    modulePreload: false,
    rolldownOptions: {
      input: { console: join(console, 'browser', 'console.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
