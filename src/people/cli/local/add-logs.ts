import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { rewriteMark } from '../../../engines/working-copy.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import type { LogsToAdd } from '../../../service/local/logs/added-logs.ts';
import { DnsCheck } from '../../../service/site/logs/bots/dns-check.ts';
import type { BotReport, LogFileReport } from '../../../service/site/logs/log-report.ts';
import type { LogRules } from '../../../service/site/logs/log-rules.ts';
import type { LocalService } from './local-service.ts';
import { checkLogSources, logSources } from './log-sources.ts';
import { readBotList } from './read-bot-list.ts';

export interface LogsOfProject {
  readonly projectId: string;
  /** Paths, folders, globs, prefixes of stores, and `-`. */
  readonly from: readonly string[];
  /** The folder that relative paths begin in. */
  readonly folder: string;
  readonly rules: LogRules;
  /** Whether files that were read before are read once more. */
  readonly again: boolean;
  readonly progress: (text: string) => void;
  /** Is asked about each file, once it is understood; absent: it is added. */
  readonly confirm?: LogsToAdd['confirm'];
  readonly isDryRun?: boolean;
}

/**
 * The rules for access logs of the settings, or of flags in their place.
 *
 * @param onReject what is done with unreadable lines; undefined: so many in a hundred as the rules say are left out
 */
export function readingRules(rules: LogRules, onReject: 'fail' | 'quarantine' | undefined): LogRules {
  if (onReject === undefined) return rules;
  return { ...rules, unreadable_percent: onReject === 'fail' ? 0 : 100 };
}

/**
 * Adds access logs to a project of the local service.
 *
 * @throws CrawlhouseError `usage` for a path that is not there, before anything is added
 */
export async function addLogs(
  settings: Settings,
  service: LocalService,
  { projectId, from, folder, rules, again, progress, confirm, isDryRun }: LogsOfProject,
  signal: AbortSignal,
): Promise<{ readonly files: readonly LogFileReport[]; readonly bots: readonly BotReport[] }> {
  await checkLogSources(from, folder);
  const files: LogFileReport[] = [];
  const mark = rewriteMark(settings.state_dir);
  const wasMarked = existsSync(mark);
  const logs = {
    ...{ projectId, rules, again, confirm, isDryRun },
    sources: logSources(from, { settings, folder }, signal),
    bots: {
      list: await readBotList(settings),
      dns: rules.verify === 'dns' ? new DnsCheck() : undefined,
    },
    onForget: (isToForget: boolean) => {
      if (isToForget) closeSync(openSync(mark, 'a'));
      else if (!wasMarked) rmSync(mark, { force: true });
    },
    onFile: (report: LogFileReport) => {
      files.push(report);
      progress(`${files.length} log files read, the last: ${report.name}`);
    },
  };
  return { bots: await service.handle.addLogs(logs, signal), files };
}
