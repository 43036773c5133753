import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { LogRules } from '../../../core/logs/log-rules.ts';
import { ON_REJECT } from '../../../etl/project/model/pipeline.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { isSpread, type LogFileReport } from '../../../site/access-logs/log-report.ts';
import type { Command, Invocation } from '../command.ts';
import { neededArguments, oneOf } from '../flag-values.ts';
import { addLogs, type LogsOfProject, readingRules } from '../local/add-logs.ts';
import { hasQuestion } from '../local/load-demand.ts';
import { loadLocal } from '../local/load-local.ts';
import { LOCAL_PROJECT_FLAGS, localProject, projectFlags } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { checkLogSources } from '../local/log-sources.ts';
import { shownPath } from '../local/shown-path.ts';
import { failureOf, printError } from '../print-error.ts';
import { describeLogs, logErrors, spreadText } from '../reports/describe-logs.ts';
import { printRun } from '../reports/run-report.ts';
import {
  describeUnderstood,
  hasGuess,
  isAgreed,
  type Understood,
  understoodDocument,
} from '../reports/understood.ts';
import { understoodLogs } from '../reports/understood-logs.ts';

export const logsAdd: Command = {
  name: 'logs add',
  keepsLog: true,
  summary: "add access logs to a crawled website's log monitoring, and load them",
  positionals: { shown: 'FILE…', most: Number.POSITIVE_INFINITY },
  flags: {
    ...LOCAL_PROJECT_FLAGS,
    format: {
      value: 'FORMAT',
      help: 'the format: a name, json:FIELD=KEY,…, a LogFormat or a log_format (auto)',
    },
    'time-zone': { value: 'ZONE', help: 'the time zone of times without an offset (UTC)' },
    host: { multiple: true, value: 'HOST', help: 'another host of the site' },
    forwarded: { help: "use the last public address in X-Forwarded-For as the client's address" },
    verify: { value: 'HOW', values: ['ranges', 'dns'], help: 'how bots are verified (ranges)' },
    again: { help: 'read these files again, and replace their earlier rows' },
    'dry-run': { help: 'print how crawlhouse reads the files, without storing anything' },
    'on-reject': {
      value: 'ACTION',
      values: ON_REJECT,
      help: 'what to do with unreadable lines (default: skip up to 1 % of a file)',
    },
  },
  async run(invocation) {
    const { workingDirectory: folder, logger, signal } = invocation;
    const settings = await invocation.settings();
    const hint = 'crawlhouse logs add /var/log/nginx/access.log*';
    const from = neededArguments(invocation, 'no log file was named', hint);
    const rules = readingRules(logRules(invocation, settings.access_logs), onReject(invocation, settings));
    await checkLogSources(from, folder);
    await using service = await LocalService.start(settings, { allowPrivate: false, logger });
    const before = await service.projects();
    const project = await localProject(service, projectFlags(invocation));
    const isDryRun = invocation.has('dry-run');
    const understood: Understood[] = [];
    const zone = rules.time_zone;
    const isZoneNamed = zone !== 'UTC' || invocation.text('time-zone') !== undefined;
    const place = { site: String(project.start_url), zone, isZoneNamed };
    const meaning = (file: LogFileReport): Understood =>
      understoodLogs({ ...file, name: shownPath(folder, file.name) }, place);
    const { files, bots } = await addLogs(
      settings,
      service,
      {
        projectId: project.id,
        from,
        folder,
        rules,
        again: invocation.has('again'),
        progress: invocation.progress,
        isDryRun,
        confirm: isDryRun
          ? async (file) => understood.push(meaning(file)) > 0
          : askAboutFile(invocation, meaning),
      },
      signal,
    );
    const errors = logErrors(files);
    if (isDryRun && !before.some(({ id }) => id === project.id)) await service.forget(project.id);
    const hasRead = !isDryRun && errors.length < files.length;
    const result = hasRead ? await loadLocal(invocation, service, project.id, 'logs add') : null;
    const exitCode = exitCodeOf([...errors, ...(result?.errors ?? [])]);
    if (invocation.has('json')) {
      const error = failureOf([...errors, ...(result?.errors ?? [])], exitCode);
      const document = { project: project.id, files, bots, run: result?.report ?? null, error };
      await invocation.printJson(
        isDryRun ? { ...document, understood: understood.map(understoodDocument) } : document,
      );
      for (const error of errors) printError(error, invocation.has('debug'));
      return exitCode;
    }
    const [site, width] = [String(project.start_url), invocation.terminal?.width ?? null];
    if (isDryRun) await invocation.print(`${describeUnderstood(understood)}\n`);
    await invocation.print(describeLogs(files, bots, { site, folder, width }));
    if (isDryRun) invocation.say('Nothing was stored (--dry-run).\n');
    for (const error of errors) printError(error, invocation.has('debug'));
    if (result === null) return exitCode;
    invocation.say('\n');
    const next = 'q17_wasted_crawl_budget';
    const has = await hasQuestion(settings, next);
    await printRun(invocation, settings, result, has ? { next: `query --question ${next}` } : {});
    return exitCode;
  },
};

/** Returns the settings, overridden by flags. */
function logRules(invocation: Invocation, settings: LogRules): LogRules {
  const hosts = invocation.texts('host');
  const given = {
    format: invocation.text('format'),
    time_zone: invocation.text('time-zone'),
    verify: invocation.text('verify'),
    forwarded: invocation.has('forwarded') ? true : undefined,
    hosts: hosts.length > 0 ? [...settings.hosts, ...hosts] : undefined,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { data, error } = LogRules.safeParse({ ...settings, ...set });
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new CrawlhouseError('usage', `--${String(issue?.path[0]).replaceAll('_', '-')}: ${issue?.message}`);
}

/** Maximum files whose meaning a terminal shows without a question. */
const SHOWN = 3;

/** Shows the meaning of a file, and asks the user to confirm guesses; absent without a terminal. */
function askAboutFile(
  { person, say, signal, workingDirectory }: Invocation,
  meaning: (file: LogFileReport) => Understood,
): LogsOfProject['confirm'] {
  if (person === null) return undefined;
  let shown = 0;
  return async (file) => {
    const understood = [meaning(file)];
    const isGuess = hasGuess(understood);
    if (isGuess || shown++ < SHOWN) say(`${describeUnderstood(understood)}\n`);
    if (isSpread(file)) say(`${spreadText({ ...file, name: shownPath(workingDirectory, file.name) })}.\n`);
    return !isGuess || (await isAgreed(person, 'Add it?', signal));
  };
}

/** Returns the flag, else the setting if it differs from the default of exact datasets. */
function onReject(invocation: Invocation, settings: Settings): 'fail' | 'quarantine' | undefined {
  const asked = oneOf(invocation, 'on-reject', ON_REJECT);
  return asked ?? (settings.on_reject === 'quarantine' ? 'quarantine' : undefined);
}
