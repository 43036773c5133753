import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../support/code-blocks.ts';
import { environmentOf, projectFolder, sandboxFor } from '../support/project.ts';
import { installPython } from '../support/python-environment.ts';
import { temporaryFolder } from '../support/temporary.ts';

const MAIN = join(import.meta.dirname, '../../src/app/cli/main.ts');
const block = await codeBlocks('orchestrators.md');
const CODES = [0, 1, 2, 3, 4, 5, 6];
const isRetried = (code: number): boolean => code === 3 || code === 6;

/** A folder with a `crawlhouse` that ends with the code of the file `code`, and notes each call. */
async function fakeCommand(): Promise<{ readonly folder: string; readonly bin: string }> {
  const folder = await temporaryFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const file = join(bin, 'crawlhouse');
  await writeFile(
    file,
    `#!/bin/sh\necho call >> '${folder}/calls'\necho '{"units": []}'\nexit "$(cat '${folder}/code')"\n`,
  );
  await chmod(file, 0o755);
  return { folder, bin };
}

/** The exit code of a program, how often it called the command, and what it wrote. */
async function ends(folder: string, bin: string, code: number, [program = '', ...args]: readonly string[]) {
  await writeFile(join(folder, 'code'), String(code));
  await writeFile(join(folder, 'calls'), '');
  return await new Promise<{ status: number; calls: number; output: string }>((resolve) => {
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      RETRY_SECONDS: '0',
      PROJECT_DIR: join(folder, 'project'),
    };
    execFile(program, args, { cwd: folder, env }, async (error, stdout, stderr) => {
      const calls = (await readFile(join(folder, 'calls'), 'utf8')).split('\n').length - 1;
      resolve({ status: Number(error?.code ?? 0), calls, output: stdout + stderr });
    });
  });
}

test('the cron script retries only after 3 and 6, and ends with the code', async () => {
  const { folder, bin } = await fakeCommand();
  await writeFile(join(folder, 'load.sh'), block('for try in'));
  for (const code of CODES) {
    const { status, calls } = await ends(folder, bin, code, ['sh', 'load.sh']);
    expect({ code, status, calls }).toEqual({ code, status: code, calls: isRetried(code) ? 5 : 1 });
  }
});

test('the Airflow DAG retries after 3 and 6, and fails after other codes', async () => {
  const { folder, bin } = await fakeCommand();
  const sdk = join(folder, 'airflow/sdk');
  await mkdir(sdk, { recursive: true });
  await writeFile(join(folder, 'airflow/__init__.py'), '');
  await writeFile(
    join(folder, 'airflow/exceptions.py'),
    'class AirflowException(Exception): pass\nclass AirflowFailException(AirflowException): pass\n',
  );
  const same = 'def same(**options):\n    return lambda function: function\n';
  await writeFile(join(sdk, '__init__.py'), `${same}dag = task = same\n`);
  await writeFile(join(folder, 'crawlhouse_dag.py'), block('AirflowFailException(f'));
  for (const code of CODES) {
    const { output, calls } = await ends(folder, bin, code, ['python3', 'crawlhouse_dag.py']);
    const raised = /exceptions\.(\w+):/.exec(output)?.[1];
    const expected = isRetried(code) ? 'AirflowException' : code === 0 ? undefined : 'AirflowFailException';
    expect({ code, raised, calls }).toEqual({ code, raised: expected, calls: 1 });
  }
});

const MATERIALIZE = `
import dagster as dg, warehouse
with dg.DagsterInstance.ephemeral() as instance:
    result = dg.materialize([warehouse.warehouse], instance=instance, raise_on_error=False)
    assert warehouse.defs.get_repository_def().has_job("__ASSET_JOB")
    [made] = result.asset_materializations_for_node("warehouse") if result.success else [None]
    print("RESULT", result.success, made and made.metadata["units"].value, made and made.metadata["rows"].value)
`;

test('the Dagster asset retries only after 3 and 6, and reports the counts of a real run', async ({
  skip,
}) => {
  const python = await installPython('dagster', ['dagster==1.13.28']).catch((error: Error) =>
    skip(error.message),
  );
  const { folder, bin } = await fakeCommand();
  await writeFile(join(folder, 'warehouse.py'), block('dg.asset(pool='));
  await writeFile(join(folder, 'materialize.py'), MATERIALIZE);
  const program = [join(python, 'bin/python'), 'materialize.py'];
  for (const code of CODES) {
    const { calls, output } = await ends(folder, bin, code, program);
    const [, success] = /RESULT (\w+)/.exec(output) ?? [output];
    expect({ code, success, calls }).toEqual({
      code,
      success: code === 0 ? 'True' : 'False',
      calls: isRetried(code) ? 6 : 1,
    });
  }
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=20,links=30'] });
  await projectFolder(folder);
  const variables = Object.entries(environmentOf(sandbox)).map(
    ([name, value]) => `export ${name}='${value}'\n`,
  );
  const real = `#!/bin/sh\n${variables.join('')}exec '${process.execPath}' '${MAIN}' "$@"\n`;
  await writeFile(join(bin, 'crawlhouse'), real);
  const { output } = await ends(folder, bin, 0, program);
  expect(output).toMatch(/RESULT True [1-9]\d* [1-9]\d*/);
});

test('the CronJob matches the Kubernetes schemas, and fails for good after non-retriable codes', async ({
  skip,
}) => {
  const python = await installPython('kubernetes-validate', ['kubernetes-validate==1.37.0']).catch(
    (error: Error) => skip(error.message),
  );
  const { folder, bin } = await fakeCommand();
  await writeFile(join(folder, 'cronjob.yaml'), block('kind: CronJob'));
  const check = `import yaml, kubernetes_validate as k
job = yaml.safe_load(open("cronjob.yaml"))
k.validate(job, "1.37", strict=True)
[rule] = job["spec"]["jobTemplate"]["spec"]["podFailurePolicy"]["rules"]
print("CODES", rule["onExitCodes"]["values"])
`;
  const { status, output } = await ends(folder, bin, 0, [join(python, 'bin/python'), '-c', check]);
  const final = CODES.filter((code) => code > 0 && !isRetried(code));
  expect({ status, output: output.trim() }).toEqual({ status: 0, output: `CODES [${final.join(', ')}]` });
});
