import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EventContract } from '../app/operations/openlineage/event-contract.ts';
import { crawlhouse, projectFolder, sandboxFor, setFaults } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary.ts';

const run = promisify(execFile);
/** The client that the specification's own project publishes; its classes are generated from the schemas. */
const CLIENT = 'openlineage-python==1.54.0';

test('the published client reads every event of a run with its models, tests and a failed unit', async (context) => {
  const place = await temporaryFolder();
  const python = join(place, 'venv', 'bin', 'python');
  try {
    await run('python3', ['-m', 'venv', join(place, 'venv')]);
    await run(python, ['-m', 'pip', 'install', '--quiet', CLIENT]);
  } catch (cause) {
    return context.skip(`${CLIENT} can't be had here: ${String(cause).slice(0, 200)}`);
  }
  const sandbox = await sandboxFor({ generate: ['crawls=2,pages=20,links=40,columns=30,seed=3'] });
  const refused = { match: { path: 'export=true' }, kind: 'status', status: 400, times: 1 };
  await setFaults(sandbox, [refused]);
  const folder = await projectFolder();
  await crawlhouse(folder, sandbox, ['run'], { CRAWLHOUSE_OPENLINEAGE_FILE: 'events.jsonl' });
  const file = join(folder, 'events.jsonl');
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  for (const line of lines) EventContract.parse(JSON.parse(line));
  const { stdout } = await run(python, [join(import.meta.dirname, 'read-events.py'), file]);
  const { events, facets } = JSON.parse(stdout);
  expect(events).toBe(lines.length);
  for (const name of ['parent', 'jobType', 'sql', 'schema', 'columnLineage', 'outputStatistics'])
    expect(facets[name], name).toBeGreaterThan(0);
  expect(facets.dataQualityAssertions).toBeGreaterThan(0);
  expect(facets.errorMessage).toBeGreaterThan(0);
  expect(facets.crawlhouse_unit).toBeGreaterThan(0);
});
