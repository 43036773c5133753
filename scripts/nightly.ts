import { spawnSync } from 'node:child_process';

/** `npm run test:nightly`: every suite with all of its rounds, one after another, whatever fails before. */
const SUITES = [
  'test',
  'test:integration',
  'test:long',
  'test:engines',
  'test:browser',
  'test:foreign',
  'test:mutation',
];

const failed = SUITES.filter((name) => {
  process.stdout.write(`== npm run ${name}\n`);
  const env = { ...process.env, ALL_ROUNDS: '1' };
  return spawnSync('npm', ['run', name], { stdio: 'inherit', env }).status !== 0;
});
process.stdout.write(failed.length === 0 ? 'all suites passed\n' : `failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
