import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModels } from '../../src/transform/load-models.ts';
import { loadCases } from '../../src/transform/model-cases.ts';
import { splitSqlFile } from '../../src/transform/sql-file.ts';
import { sqlFolder } from '../../src/transform/sql-folders.ts';
import { GoldenJudge } from './golden-judge.ts';
import { applyChange, changesOf } from './mutants.ts';
import {
  type FileResult,
  loadEquivalents,
  resultOf,
  type Survivor,
  survivorOf,
  writeReport,
} from './report.ts';

const ROOT = join(import.meta.dirname, '../..');
const LEAST_RATIO = 0.9;

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-mutation-'));
const models = await loadModels([sqlFolder(join(ROOT, 'sql'))]);
const cases = await loadCases(join(ROOT, 'test/golden'), 'test/golden');
try {
  process.exitCode = await judgeFiles(process.argv.slice(2));
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @param wanted files under `sql/`; all when empty */
async function judgeFiles(wanted: readonly string[]): Promise<number> {
  const found = await readdir(join(ROOT, 'sql'), { recursive: true });
  const files = found
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `sql/${name}`)
    .sort();
  const unknown = wanted.find((file) => !files.includes(file));
  if (unknown !== undefined)
    throw new Error(`there is no file ${unknown}: name one as sql/<folder>/<name>.sql`);
  const equivalents = await loadEquivalents();
  const results = new Map<string, FileResult>();
  let stale = 0;
  for (const file of wanted.length > 0 ? wanted : files) {
    const judged = await judgeFile(file, equivalents[file]);
    if (!judged) continue;
    results.set(file, judged.result);
    for (const change of judged.stale) console.log(`  no survivor, though in equivalent.yaml: ${change}`);
    stale += judged.stale.length;
    await writeReport(results, files);
  }
  const all = await writeReport(results, files);
  console.log(line('all files', all));
  return all.ratio >= LEAST_RATIO && stale === 0 ? 0 : 1;
}

/** Judges the mutants of a model; nothing for a file that has none, and for a question. */
async function judgeFile(
  file: string,
  known: Parameters<typeof resultOf>[2],
): Promise<ReturnType<typeof resultOf> | undefined> {
  const { sql, sqlLine } = splitSqlFile(file, await readFile(join(ROOT, file), 'utf8'));
  const changes = changesOf(sql);
  const model = models.find((one) => one.file === file);
  if (changes.length === 0 || !model) return undefined;
  const own = cases.find((one) => one.model === model.name)?.cases ?? [];
  await using judge = await GoldenJudge.open(folder, models, model.name, own);
  const survivors: Survivor[] = [];
  let caught = 0;
  for (const change of changes) {
    const verdict = await judge.judge({ ...model, sql: applyChange(sql, change) });
    if (verdict === 'caught') caught++;
    if (verdict === 'survived') survivors.push(survivorOf(sql, sqlLine, change));
  }
  const judged = resultOf(survivors, caught, known);
  console.log(line(file, judged.result));
  for (const { line, change } of judged.result.survivors) console.log(`  ${line}: ${change}`);
  return judged;
}

function line(file: string, { mutants, caught, equivalent, ratio }: Omit<FileResult, 'survivors'>): string {
  const left = mutants - caught - equivalent;
  const percent = `${(100 * ratio).toFixed(1)} %`;
  return `${file}: ${mutants} mutants, ${caught} caught, ${equivalent} equivalent, ${left} survived, ${percent}`;
}
