import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { verdictOf } from './audit-verdict.ts';

/** `npm audit` of all dependencies. It fails for known vulnerabilities, not where the registry has no answer. */
const root = join(import.meta.dirname, '..');
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8', timeout: 120_000 });
const { line, isGood } = verdictOf(stdout ?? '');
console.log(line);
process.exitCode = isGood ? 0 : 1;
