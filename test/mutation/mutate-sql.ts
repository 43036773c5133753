import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCases } from '../../src/etl/pipeline/transform/tests/model-cases.ts';
import { withIssues } from '../../src/etl/project/sql/models/issue-models.ts';
import {
  loadFilters,
  loadModels,
  withFilters,
  withSegments,
} from '../../src/etl/project/sql/models/load-models.ts';
import type { Model } from '../../src/etl/project/sql/models/model.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import {
  defaultSetting,
  loadTunedIssues,
  withNumbers,
} from '../../src/etl/project/sql/models/tune-issues.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import { splitSqlFile } from '../../src/etl/project/sql/text/sql-file.ts';
import { applyChange } from './change.ts';
import { GoldenJudge } from './golden-judge.ts';
import { IssueJudge } from './issue-judge.ts';
import { changesOf } from './mutants.ts';
import {
  type FileResult,
  loadEquivalents,
  resultOf,
  type Survivor,
  survivorOf,
  writeReport,
} from './report.ts';
import { SiteJudge } from './site-judge.ts';
import type { Verdict } from './verdict.ts';

const ROOT = join(import.meta.dirname, '../..');
const LEAST_RATIO = 0.95;

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-mutation-'));
const sources = [sqlFolder(join(ROOT, 'sql'))];
const models = await loadModels(sources);
const questions = await loadQuestions(sources);
const tuned = await loadTunedIssues(sources);
const filters = await loadFilters(sources);
const cases = await loadCases(join(ROOT, 'test/golden'), 'test/golden');

/** @param wanted files under `sql/`; all when empty */
export async function mutateSql(wanted: readonly string[]): Promise<number> {
  try {
    await using sites = await SiteJudge.open(folder, models, questions);
    return await judgeFiles(sites, wanted);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function judgeFiles(sites: SiteJudge, wanted: readonly string[]): Promise<number> {
  const found = await readdir(join(ROOT, 'sql'), { recursive: true });
  const files = found
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `sql/${name}`)
    .sort();
  const unknown = wanted.find((file) => !files.includes(file));
  if (unknown !== undefined)
    throw new Error(`there is no file ${unknown}: name one as sql/<folder>/<name>.sql`);
  const equivalents = await loadEquivalents();
  let stale = 0;
  for (const file of wanted.length > 0 ? wanted : files) {
    const judged = await judgeFile(sites, file, equivalents[file]);
    if (!judged) continue;
    for (const change of judged.stale) console.log(`  no survivor, though in equivalent.yaml: ${change}`);
    stale += judged.stale.length;
    await writeReport(new Map([[file, judged.result]]), files);
  }
  const all = await writeReport(new Map(), files);
  console.log(line('all files', all));
  return all.ratio >= LEAST_RATIO && stale === 0 ? 0 : 1;
}

/** Nothing for a file that has no mutants. */
async function judgeFile(
  sites: SiteJudge,
  file: string,
  known: Parameters<typeof resultOf>[2],
): Promise<ReturnType<typeof resultOf> | undefined> {
  const { sql, sqlLine } = splitSqlFile(file, await readFile(join(ROOT, file), 'utf8'));
  const changes = changesOf(sql);
  if (changes.length === 0) return undefined;
  await using judge = await judgeOf(sites, file, sql);
  const survivors: Survivor[] = [];
  let caught = 0;
  for (const change of changes) {
    const verdict = await judge.judge(applyChange(sql, change));
    if (verdict === 'caught') caught++;
    if (verdict === 'survived') survivors.push(survivorOf(sql, sqlLine, change));
  }
  if (caught + survivors.length === 0) throw new Error(`no mutant of ${file} is valid`);
  const judged = resultOf(survivors, caught, known);
  console.log(line(file, judged.result));
  for (const { line, change } of judged.result.survivors) console.log(`  ${line}: ${change}`);
  return judged;
}

interface FileJudge extends AsyncDisposable {
  judge(sql: string): Promise<Verdict>;
}

/**
 * A question is judged by its answers; a condition on pages by its cases; a model by its cases, then by the answers that
 * it has a part in, as is any other issue by the model of all of them.
 */
async function judgeOf(sites: SiteJudge, file: string, own: string): Promise<FileJudge> {
  const question = questions.find((one) => one.file === file);
  if (question) {
    const judge = (sql: string) => sites.judgeQuestion({ ...question, sql });
    return { judge, [Symbol.asyncDispose]: async () => {} };
  }
  const issue = tuned.issues.find((one) => one.file === file);
  if (issue?.scan) return IssueJudge.open(folder, models, issue);
  const model = models.find((one) => (issue ? one.name === 'mart.page_issues' : one.file === file));
  if (!model) throw new Error(`${file} is neither a model nor a question nor an issue`);
  const mutantOf = (sql: string): Model => {
    const numbers = (one: string): string => (issue ? withNumbers(one, defaultSetting(issue)) : one);
    if (issue) return { ...model, sql: model.sql.replace(numbers(issue.sql), () => numbers(sql)) };
    if (/\b(issues|filters|segments)\.[a-z]+\b/.test(own))
      return withSegments(withFilters(withIssues({ ...model, sql }, tuned), filters), []);
    // The SQL of a model stands within that of its former columns.
    return { ...model, sql: model.sql.replace(own, () => sql) };
  };
  const ofModel = cases.find((one) => one.model === model.name)?.cases ?? [];
  const golden = await GoldenJudge.open(folder, models, model.name, ofModel);
  return {
    judge: async (sql) => {
      const mutant = mutantOf(sql);
      const verdict = await golden.judge(mutant);
      return verdict === 'survived' ? sites.judgeModel(mutant) : verdict;
    },
    [Symbol.asyncDispose]: () => golden[Symbol.asyncDispose](),
  };
}

function line(file: string, { mutants, caught, equivalent, ratio }: Omit<FileResult, 'survivors'>): string {
  const left = mutants - caught - equivalent;
  const percent = `${(100 * ratio).toFixed(1)} %`;
  return `${file}: ${mutants} mutants, ${caught} caught, ${equivalent} equivalent, ${left} survived, ${percent}`;
}
