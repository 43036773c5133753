import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../../../../app/cli/capture.ts';
import { sendJson, testService } from '../../../../client/test-service.ts';

const MODEL = `/*
name: mart.things
kind: table
description: Things
grain: [id]
columns: { id: One., size: How large. }
*/
SELECT 1 AS id, 2 AS size
`;
const HEADER = '/*\ntitle: T\nmodel: mart.things\ndescription: D\n*/\n';
const BY_ID = HEADER.replace('*/', 'parameters: {id: {type: BIGINT, description: D}}*/');

/** A project with one model of its own, one saved question, and a service without any data. */
async function projectWith(question: string): Promise<string> {
  const service = await testService((seen, response) => {
    const list = /\/(\w+)\?/.exec(seen.path)?.[1] ?? '';
    const items = list === 'workspaces' ? [{ id: 'w', name: 'W' }] : [];
    sendJson(response, 200, { meta: { offset: 0, limit: 100, total: items.length }, [list]: items });
  });
  const folder = await projectFolder(`base_url: ${service.baseUrl}\naccess_token: token\n`);
  for (const name of ['m', 'questions']) await mkdir(join(folder, 'sql', name));
  await writeFile(join(folder, 'sql', 'm', 'things.sql'), MODEL);
  await save(folder, question);
  return folder;
}

const save = (folder: string, question: string): Promise<void> =>
  writeFile(
    join(folder, 'sql', 'questions', 'own.sql'),
    (question.includes('$id') ? BY_ID : HEADER) + question,
  );

/** What `run`, `docs` and `doctor` say, each with its exit code. */
async function said(folder: string): Promise<readonly (readonly [number | null, string])[]> {
  const outcomes = [];
  for (const command of [['run'], ['docs', '--output', join(folder, 'docs')], ['doctor']]) {
    const { code, stdout, stderr } = await capture(...command, '--project-dir', folder);
    outcomes.push([code, stdout + stderr] as const);
  }
  return outcomes;
}

test.for([
  ['no SQL', '\n\nSELECT id FORM\nmart.things', 'sql/questions/own.sql:9: syntax error'],
  ['no SELECT', 'DROP TABLE mart.things', 'sql/questions/own.sql:6: is not a SELECT'],
  [
    'on a model that there is not',
    'SELECT *\nFROM mart.thing',
    'sql/questions/own.sql:7: reads mart.thing, which is not a model',
  ],
] as const)(
  'a question that is %s stops run, docs and doctor before the first run',
  async ([_what, question, message]) => {
    for (const [code, text] of await said(await projectWith(question))) {
      expect(text).toContain(message);
      expect(code).toBe(2);
    }
  },
);

test('a question that does not compile on the published models stops run, docs and doctor, with its line', async () => {
  const folder = await projectWith('SELECT id FROM mart.things WHERE id = $id');
  expect((await said(folder)).map(([code]) => code)).toEqual([0, 0, 0]);
  await save(folder, 'SELECT id,\n  weight\nFROM mart.things WHERE id = $id');
  for (const [code, text] of await said(folder)) {
    expect(text).toContain('sql/questions/own.sql:7: Binder Error: Referenced column "weight" not found');
    expect(code).toBe(2);
  }
  const file = join(folder, 'sql', 'questions', 'own.sql');
  for (const [chart, problem] of [
    ['{kind: bar, x: id, y: weight}', 'the result has no column weight'],
    ['{kind: bar, x: id, y: size, only: size}', 'size is not BOOLEAN, which only needs'],
  ] as const) {
    const header = HEADER.replace('*/\n', `chart: ${chart}\n*/\n`);
    await writeFile(file, `${header}SELECT id, size FROM mart.things`);
    for (const [code, text] of await said(folder)) {
      expect(text).toContain(`sql/questions/own.sql:5: chart: ${problem}`);
      expect(text).toContain('columns of the answer: id, size');
      expect(code).toBe(2);
    }
  }
  await save(folder, "SELECT id FROM '/etc/hosts.csv'");
  for (const [code] of await said(folder)) expect(code).toBe(2);
});

test('a question on a column added since the last publication compiles after the next one', async () => {
  const folder = await projectWith('SELECT id FROM mart.things');
  expect((await capture('run', '--project-dir', folder)).code).toBe(0);
  const wider = MODEL.replace('size: How large.', 'size: How large., weight: How heavy.');
  await writeFile(join(folder, 'sql', 'm', 'things.sql'), wider.replace('AS size', 'AS size, 3 AS weight'));
  await save(folder, 'SELECT weight FROM mart.things');
  expect((await capture('run', '--project-dir', folder)).code).toBe(0);
  expect((await capture('doctor', '--project-dir', folder)).stdout).toMatch(/questions +1 saved/);
});
